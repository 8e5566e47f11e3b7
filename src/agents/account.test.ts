import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { temporaryFolder } from "../../test/job-worktree.ts";
import { accountOf } from "./account.ts";
import { claude } from "./claude/claude.ts";
import { claudeCli } from "./claude/cli/claude-cli.ts";
import { codex } from "./codex/codex.ts";
import { pi } from "./pi/pi.ts";

let home: string;
beforeEach(async () => {
  home = await temporaryFolder();
});

const ofClaude = (env: Record<string, string>, agent = claude) =>
  accountOf(agent, { runtime: "claude" }, { HOME: home, ...env });
const signedIn = (folder: string, accountUuid: string) =>
  writeFile(join(folder, ".claude.json"), JSON.stringify({ oauthAccount: { accountUuid } }));

describe("the account of an agent", () => {
  it("is the same for one key in whichever project and adapter, and another for another key or server", async () => {
    const key = { ANTHROPIC_API_KEY: "sk-ant-one" };
    const { id, label } = await ofClaude(key);
    expect(label).toBe("Claude Code");
    expect(id).not.toContain("sk-ant");
    expect(await ofClaude({ ...key, HOME: "/elsewhere" }, claudeCli)).toMatchObject({ id });
    expect(await ofClaude({ ANTHROPIC_API_KEY: "sk-ant-two" })).not.toMatchObject({ id });
    expect(await ofClaude({ ...key, ANTHROPIC_BASE_URL: "http://127.0.0.1:1" })).not.toMatchObject({ id });
  });

  it("of a plan is that which somebody signed in to, from whichever folder", async () => {
    const other = await temporaryFolder();
    await signedIn(home, "uuid-one");
    await signedIn(other, "uuid-one");
    const { id } = await ofClaude({});
    expect(await ofClaude({ CLAUDE_CONFIG_DIR: other })).toMatchObject({ id });
    await signedIn(other, "uuid-two");
    expect(await ofClaude({ CLAUDE_CONFIG_DIR: other })).not.toMatchObject({ id });
  });

  it("of Codex is that of its files", async () => {
    const ofCodex = () => accountOf(codex, { runtime: "codex" }, { HOME: home });
    const unknown = await ofCodex();
    await mkdir(join(home, ".codex"));
    await writeFile(join(home, ".codex", "auth.json"), JSON.stringify({ tokens: { account_id: "one" } }));
    const one = await ofCodex();
    expect(one).not.toEqual(unknown);
    await writeFile(join(home, ".codex", "auth.json"), JSON.stringify({ tokens: { account_id: "two" } }));
    expect(await ofCodex()).not.toEqual(one);
  });

  it("of a program that does not tell is one for each user, and has the name that it is given", async () => {
    const ofPi = (account?: string, folder = home) =>
      accountOf(pi, { runtime: "pi", ...(account !== undefined && { account }) }, { HOME: folder });
    expect(await ofPi()).toEqual(await ofPi());
    expect(await ofPi()).not.toEqual(await ofPi(undefined, "/elsewhere"));
    expect(await ofPi("work")).toEqual({ id: "name:work", label: "work" });
  });
});
