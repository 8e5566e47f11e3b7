import { describe, expect, it } from "vitest";
import { agentNamed, UnknownAgentError } from "./agent-named.ts";
import { parseConfig } from "./layers/parse.ts";
import { configWithoutFile } from "./without-file.ts";

const config = parseConfig(
  "agents: [{ name: coder }, { name: reviewer }]",
  "/project/baton.yaml",
  "/home/someone",
);

describe("choosing an agent", () => {
  it("takes the one of that name, or else the first", () => {
    expect(agentNamed(config, "reviewer").name).toBe("reviewer");
    expect(agentNamed(config).name).toBe("coder");
  });

  it("says which agents there are when the name is unknown", () => {
    const choose = () => agentNamed(config, "codr");
    expect(choose).toThrow(UnknownAgentError);
    expect(choose).toThrow(
      'there is no agent named "codr" in /project/baton.yaml\n  did you mean "coder"?\n  agents: coder, reviewer',
    );
  });

  it("says that there is no file when there is none", () => {
    expect(() => agentNamed(configWithoutFile("/project"), "tester")).toThrow(
      'there is no agent named "tester" and there is no baton.yaml\n  agents: claude',
    );
  });
});
