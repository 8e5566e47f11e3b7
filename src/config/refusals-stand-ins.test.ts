import { describe, expect, it } from "vitest";
import { type Refusal, refusal } from "../../test/refused.ts";
import { parseConfig } from "./layers/parse.ts";

const REFUSALS: Omit<Refusal, "unseen">[] = [
  {
    wrong: "a switch to nobody",
    file: `
agents:
  - name: coder
    session: { on_limit: switch }
  - name: cheap
`,
    says: `
baton.yaml:3:16  session.on_limit of agent "coder" is switch, and nobody is named to switch to
   3 |     session: { on_limit: switch }
     |                ^^^^^^^^
  name who takes over: fallback: [cheap]
`,
  },
  {
    wrong: "a switch to nobody, where there is nobody",
    file: `
agents: [{ name: coder, session: { on_limit: switch, fallback: [] } }]
`,
    says: `
baton.yaml:1:36  session.on_limit of agent "coder" is switch, and nobody is named to switch to
   1 | agents: [{ name: coder, session: { on_limit: switch, fallback: [] } }]
     |                                    ^^^^^^^^
  configure another agent and name it in session.fallback, or use wait
`,
  },
  {
    wrong: "agents that take over nothing",
    file: `
agents:
  - name: coder
    session:
      fallback: [cheap]
  - name: cheap
`,
    says: `
baton.yaml:4:7  session.fallback of agent "coder" is never used: session.on_limit is wait
   4 |       fallback: [cheap]
     |       ^^^^^^^^
  set on_limit: switch beside it, or leave it out
`,
  },
  {
    wrong: "a return from nowhere",
    file: `
agents:
  - name: coder
    session: { switch_back: false }
`,
    says: `
baton.yaml:3:16  session.switch_back of agent "coder" is never used: session.on_limit is wait
   3 |     session: { switch_back: false }
     |                ^^^^^^^^^^^
  set on_limit: switch beside it, or leave it out
`,
  },
  {
    wrong: "an agent that nobody knows",
    file: `
agents:
  - name: coder
    session: { on_limit: switch, fallback: [cheap, reviwer] }
  - name: cheap
  - name: reviewer
`,
    says: `
baton.yaml:3:52  session.fallback of agent "coder" names "reviwer", and there is no such agent
   3 |     session: { on_limit: switch, fallback: [cheap, reviwer] }
     |                                                    ^^^^^^^
  did you mean "reviewer"?
`,
  },
  {
    wrong: "itself, and one twice",
    file: `
agents:
  - name: coder
    session: { on_limit: switch, fallback: [coder, cheap, cheap] }
  - name: cheap
`,
    says: `
baton.yaml:3:45  session.fallback of agent "coder" names the agent itself
   3 |     session: { on_limit: switch, fallback: [coder, cheap, cheap] }
     |                                             ^^^^^
  name another one, or leave it out

baton.yaml:3:59  session.fallback of agent "coder" names "cheap" twice
   3 |     session: { on_limit: switch, fallback: [coder, cheap, cheap] }
     |                                                           ^^^^^
  leave one out
`,
  },
];

describe("agents that take over", () => {
  it.each(REFUSALS)("are refused for $wrong", ({ file, says }) => {
    expect(`\n${refusal(file.slice(1))}\n`).toBe(says);
  });

  it("are all but itself where they are named in defaults", () => {
    const { agents } = parseConfig(
      `
defaults: { session: { on_limit: switch, fallback: [cheap, reviewer] } }
agents: [{ name: coder }, { name: cheap }, { name: reviewer, session: { on_limit: wait, fallback: [] } }]
`,
      "/project/baton.yaml",
      "/home/someone",
    );
    expect(agents.map(({ session }) => [session.onLimit, ...session.fallback])).toEqual([
      ["switch", "cheap", "reviewer"],
      ["switch", "reviewer"],
      ["wait"],
    ]);
  });

  it("may return or not by what defaults say, as long as one of them does take over", () => {
    const file = (onLimit: string) => `
defaults: { session: { switch_back: false } }
agents: [{ name: coder }, { name: cheap${onLimit} }]
`;
    const switches = ", session: { on_limit: switch, fallback: [coder] }";
    const { agents } = parseConfig(file(switches), "/project/baton.yaml", "/home/someone");
    expect(agents[1]?.session.switchBack).toBe(false);
    expect(refusal(file("")).match(/is never used/g)).toHaveLength(1);
  });
});
