import { describe, expect, it } from "vitest";
import { originsOfAgent, originsOfMaintenance } from "./origins.ts";
import { readSources } from "./read-sources.ts";

const USER = "/home/someone/.config/baton/config.yaml";

function read(project: string, user = "") {
  return readSources({
    project: { path: "/project/baton.yaml", text: project },
    user: { path: USER, text: user },
    root: "/project",
    home: "/home/someone",
    env: { TOKEN: "hush", MODEL: "hush" },
    trusted: {},
    withhold: false,
  });
}

function originsIn(project: string, user?: string) {
  const [agent] = read(project, user).agents;
  if (!agent) throw new Error("there is no agent");
  return new Map(originsOfAgent(agent).map(({ key, value, from }) => [key, { value, from }]));
}

const inProject = (line: number) => ({ file: "/project/baton.yaml", line });

describe("where values come from", () => {
  it("is the line that was written last in the order of the levels, or Baton itself", () => {
    const origins = originsIn(
      `defaults:
  session: { max_retries: 2 }
agents:
  - name: coder
    allowed_tools: [Bash, Edit]
    session:
      on_limit: pause
`,
      "defaults:\n  session: { max_retries: 1, stall_timeout: 1h }\n",
    );
    expect(origins.get("session.on_limit")).toEqual({ value: "pause", from: inProject(7) });
    expect(origins.get("session.max_retries")).toEqual({ value: 2, from: inProject(2) });
    expect(origins.get("session.stall_timeout")).toEqual({ value: "1h", from: { file: USER, line: 2 } });
    expect(origins.get("session.background_grace")).toEqual({ value: "2m", from: undefined });
    expect(origins.get("allowed_tools")).toEqual({ value: ["Bash", "Edit"], from: inProject(5) });
    expect(origins.has("model")).toBe(false);
  });

  it("never shows a secret, and names the variables", () => {
    const origins = originsIn(`
agents:
  - name: coder
    model: \${MODEL}
    env: { ONE: hush, TWO: "\${TOKEN}", THREE: "\${NOT_SET:-hush}" }
    mcp_servers: { docs: { command: npx, args: [--token=hush], env: { A: hush } } }
    hooks:
      after_run:
        - type: webhook
          url: https://example.com
          headers: { Authorization: "Bearer \${TOKEN}" }
          secret: hush
        - { type: slack, webhook_url: "https://example.com/hush" }
`);
    expect(JSON.stringify([...origins])).not.toContain("hush");
    expect(origins.get("model")?.value).toBe(`\${MODEL}`);
    expect(origins.get("env.TWO")?.value).toBe(`\${TOKEN}`);
    expect(origins.get("env.THREE")?.value).toBe("…");
    expect(origins.get("hooks.after_run[0].url")).toEqual({
      value: "https://example.com",
      from: inProject(10),
    });
    expect(origins.get("hooks.after_run[1].webhook_url")?.value).toBe("…");
    expect(origins.get("mcp_servers.docs.args")?.value).toEqual(["…"]);
  });

  it("leaves out a built-in value that does not hold", () => {
    const plain = originsIn("agents: [{ name: coder }]\n");
    expect(plain.get("session.context_threshold")?.value).toBe(0.1);
    expect(plain.get("session.auto_compact")?.value).toBe(false);
    expect(plain.has("handoff.living_document.path")).toBe(false);

    const other = originsIn(
      "agents: [{ name: coder, handoff: { threshold: 70, enabled: false, living_document: { auto_commit: false } } }]\n",
    );
    expect(other.has("session.context_threshold")).toBe(false);
    expect(other.get("session.auto_compact")?.value).toBe(true);
    expect(other.get("handoff.living_document.path")).toEqual({ value: "docs/HANDOFF.md", from: undefined });
  });

  it("is said of maintenance too", () => {
    const origins = originsOfMaintenance(
      read("agents: [{ name: coder }]\nmaintenance:\n  worktree_cleanup: { interval: 1h }\n"),
    );
    expect(origins).toContainEqual({ key: "worktree_cleanup.interval", value: "1h", from: inProject(3) });
    expect(origins).toContainEqual({ key: "session_cleanup.interval", value: "1h" });
  });
});
