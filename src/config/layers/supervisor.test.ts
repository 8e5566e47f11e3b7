import { describe, expect, it } from "vitest";
import { ConfigError } from "../error.ts";
import { configFrom } from "./from-layers.ts";
import { originsOfAgent } from "./origins.ts";
import { readSources, type Sources } from "./read-sources.ts";

const FILE = "/project/.supervisor-specific/handoff-config.yaml";
const FOR_ALL = "/home/someone/.supervisor-specific/handoff-config.yaml";

/** As its format has it, with every key that there is. */
const WHOLE = `handoff:
  enabled: true
  threshold: 65  # Percentage of context used before creating handoff
  auto_continue_cli: false
  auto_continue_browser: false  # Can't auto-spawn browser, always false
  retention_days: 30
  notify_user_at: 40
`;

interface Texts {
  project?: string;
  forAll?: string;
  baton?: string;
  user?: string;
}

function written({ project, forAll, baton, user }: Texts, more: Partial<Sources> = {}) {
  return readSources({
    ...(baton !== undefined && { project: { path: "/project/baton.yaml", text: baton } }),
    ...(user !== undefined && { user: { path: "/home/someone/.config/baton/config.yaml", text: user } }),
    supervisor: {
      ...(project !== undefined && { project: { path: FILE, text: project } }),
      ...(forAll !== undefined && { user: { path: FOR_ALL, text: forAll } }),
    },
    root: "/project",
    home: "/home/someone",
    env: {},
    trusted: {},
    withhold: false,
    ...more,
  });
}

function agentOf(texts: Texts, more?: Partial<Sources>) {
  const [agent] = configFrom(written(texts, more)).agents;
  if (!agent) throw new Error("there is no agent");
  return agent;
}

function originIn(texts: Texts, key: string) {
  const [agent] = written(texts).agents;
  const found = agent && originsOfAgent(agent).find((origin) => origin.key === key);
  return found && { value: found.value, from: found.from };
}

const used = (percent: number) => ({ kind: "used", percent });

describe("a supervisor's handoff-config.yaml", () => {
  it("sets all that it has keys for, with a baton.yaml and without", () => {
    for (const baton of [undefined, "agents: [{ name: coder }]\n"]) {
      const { session, handoff } = agentOf({ project: WHOLE, ...(baton !== undefined && { baton }) });
      expect(session.threshold).toEqual(used(65));
      expect(handoff).toMatchObject({
        enabled: true,
        autoContinue: false,
        retentionDays: 30,
        notifyUserAt: [40],
      });
    }
    expect(agentOf({ project: "handoff: { enabled: false }\n" }).handoff.enabled).toBe(false);
  });

  it("means 70 per cent where it says none, and a project without one keeps Baton's default", () => {
    const left = { kind: "remaining", fraction: 0.1 };
    expect(agentOf({}).session.threshold).toEqual(left);
    for (const text of ["", "handoff:\n", "handoff: { enabled: true }\n"]) {
      const { session, handoff } = agentOf({ project: text });
      expect(session.threshold).toEqual(used(70));
      expect(handoff.retentionDays).toBe(90);
    }
    expect(
      agentOf({ user: "defaults: { handoff: { threshold: 80 } }\n", project: "" }).session.threshold,
    ).toEqual(used(80));
  });

  it("wins over what the user has set for all projects, and baton.yaml wins over it", () => {
    const forAll = "handoff: { threshold: 60, retention_days: 10 }\n";
    const project = "handoff: { threshold: 65 }\n";
    const user = "defaults: { handoff: { threshold: 80 } }\n";
    const baton = "agents: [{ name: coder, session: { context_threshold: 0.25 } }]\n";
    expect(agentOf({ forAll }).session.threshold).toEqual(used(60));
    expect(agentOf({ forAll, user }).session.threshold).toEqual(used(80));
    expect(agentOf({ forAll, user, project }).session.threshold).toEqual(used(65));
    expect(agentOf({ forAll, user, project }).handoff.retentionDays).toBe(10);
    const threshold = { kind: "remaining", fraction: 0.25 };
    expect(agentOf({ forAll, user, project, baton }).session.threshold).toEqual(threshold);
    const defaults = "defaults: { handoff: { retention_days: 5 } }\nagents: [{ name: coder }]\n";
    expect(agentOf({ forAll, project, baton: defaults }).handoff.retentionDays).toBe(5);
  });

  it("is told as the origin of what it sets, also of what it means without saying so", () => {
    expect(originIn({ project: WHOLE }, "handoff.threshold")).toEqual({
      value: 65,
      from: { file: FILE, line: 3 },
    });
    expect(
      originIn({ project: "", forAll: "handoff: { retention_days: 10 }\n" }, "handoff.threshold"),
    ).toEqual({
      value: 70,
      from: { file: FILE, line: 0 },
    });
    expect(originIn({ forAll: "handoff: { retention_days: 10 }\n" }, "handoff.retention_days")).toEqual({
      value: 10,
      from: { file: FOR_ALL, line: 1 },
    });
  });

  it.each([
    [
      "handoff: { auto_continue_browser: true }",
      /auto_continue_browser must be false: a browser session cannot/,
    ],
    ["handoff: { treshold: 70 }", /unknown key "treshold".*\n[\s\S]*did you mean "threshold"/],
    ["handoff: { threshold: 170 }", /handoff\.threshold must be a per cent from 1 to 99/],
    ["handoff: { dir: docs }", /unknown key "dir"[\s\S]*"dir" belongs in "handoff" of baton\.yaml/],
    ["threshold: 70", /unknown key "threshold"[\s\S]*"threshold" belongs in "handoff"/],
    ["handoff: {}\nagents: []", /unknown key "agents"[\s\S]*this file has "handoff" alone/],
    ["- handoff", /the file must be a map/],
  ])("is refused with what is wrong in it: %s", (text, message) => {
    expect(() => written({ project: text })).toThrow(ConfigError);
    expect(() => written({ project: text })).toThrow(message);
  });

  it("sets before a yes what cannot hurt, and not how long documents are kept", () => {
    const { session, handoff } = agentOf({ project: WHOLE }, { withhold: true });
    expect(session.threshold).toEqual(used(65));
    expect(handoff.retentionDays).toBe(90);
    const { acting } = written({ project: WHOLE }, { withhold: true });
    expect(acting).toMatchObject([{ file: FILE, key: "handoff.retention_days", trust: { state: "new" } }]);
    const mine = { forAll: WHOLE };
    expect(agentOf(mine, { withhold: true }).handoff.retentionDays).toBe(30);
    expect(written(mine, { withhold: true }).acting).toEqual([]);
  });
});
