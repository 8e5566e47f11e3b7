import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { emptyAccount } from "./account.ts";
import { parseAccount, renderAccount } from "./markdown.ts";
import { readTemplate, TemplateUnreadableError } from "./template.ts";

async function createTemplate(text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "baton-template-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, "template.md");
  await writeFile(path, text);
  return path;
}

it("a template gives sections and their order, and tells those that are not our own", async () => {
  const path = await createTemplate(
    "# Ours\n\n## Blockers\n\n```\n## not a heading\n```\n\n## Deployment\n\n## Goal\n",
  );
  expect(await readTemplate({ templatePath: path })).toEqual({
    order: ["Blockers", "Deployment", "Goal"],
    extra: ["Deployment"],
  });
});

it("a place for instructions in a template asks the agent for nothing: they are Baton's", async () => {
  const path = await createTemplate(
    "## Goal\n\n## Links\n\n---\n\n**Instructions for New Instance:**\n\n1. Read\n",
  );
  expect((await readTemplate({ templatePath: path })).extra).toEqual([]);
});

it("an account in the order and the words of a template reads back the same", async () => {
  const account = {
    ...emptyAccount(),
    goal: "Ship it",
    openIssues: ["No key yet"],
    extra: [{ title: "Deployment", text: "On staging." }],
  };
  const text = renderAccount(account, ["Blockers", "Deployment", "Goal"]);
  expect(text).toMatch(
    /^## Blockers\n\n- No key yet\n\n## Deployment\n\nOn staging\.\n\n## Goal\n\nShip it\n\n## /,
  );
  expect(parseAccount(text)).toEqual(account);
});

it("without a template there is nothing to follow", async () => {
  expect(await readTemplate({})).toEqual({ order: [], extra: [] });
});

it("a template that cannot be read is an error that names it", async () => {
  await expect(readTemplate({ templatePath: "/nowhere/template.md" })).rejects.toThrow(
    TemplateUnreadableError,
  );
  await expect(readTemplate({ templatePath: "/nowhere/template.md" })).rejects.toThrow(
    "/nowhere/template.md",
  );
});
