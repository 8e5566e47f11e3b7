import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { ChatFile } from "../src/connectors/connector.ts";
import { bash } from "./careful.ts";
import { talkative } from "./chat.ts";
import { shown } from "./harness.ts";
import { told } from "./obedient.ts";
import { eventually } from "./panes.ts";
import { ADA, botIn, botSays, CHANNEL, startTalking, talkingProject } from "./talks.ts";

const fileOf = (name: string, type: string, content: string, bytes = content.length): ChatFile => ({
  ...{ name, type, bytes },
  read: async () => Buffer.from(content),
});

const OPEN =
  "{ fake: true, slack: { channels: [{ id: C0123456789, mode: auto }], attachments: { enabled: true, max_file_size_mb: 0.001, max_files_per_message: 3 } } }";
const channel = "C0123456789";

it("gives the agent what people attach within the limits, says what it does not give, and removes it after the answer", async () => {
  const { chat, project } = await startTalking(
    await talkingProject({
      chat: OPEN,
      scenario: talkative({
        when: ({ last }) => last.includes("look at this"),
        reply: {
          call: bash(
            "cat .chat-attachments/*/1-notes.txt > read.txt; git status --short > dirty.txt",
            "Read it",
          ),
        },
        times: 1,
      }),
    }),
  );
  const files = [
    fileOf("notes.txt", "text/plain", "buy milk"),
    fileOf("huge.txt", "text/plain", "", 5_000),
    fileOf("tool.exe", "application/x-msdownload", "MZ"),
    fileOf("../../fourth.txt", "text/plain", "too many"),
  ];
  const first = chat.say(ADA, "look at this", { channel, files });
  await botSays(chat, first, "Done as told.");
  const read = (name: string) => readFileSync(join(project.folder, name), "utf8");
  expect(read("read.txt")).toBe("buy milk");
  // It is not committed with the work.
  expect(read("dirty.txt")).not.toContain("attachments");
  const { prompt } = await shown(project);
  expect(prompt).toMatch(/\(attached: \.chat-attachments\/\w+\/1-notes\.txt\)/);
  expect(prompt).toContain('"huge.txt", larger than 0.001 MB');
  expect(prompt).toContain('"tool.exe", of a type that is not in allowed_types');
  expect(prompt).toContain('"../../fourth.txt", more than 3 files');
  const folder = join(project.folder, ".chat-attachments");
  await eventually("it is removed", async () =>
    readdirSync(folder, { recursive: true }).every((each) => !String(each).includes("notes")),
  );
  // The next message brings its own.
  const more = [fileOf("more.txt", "text/plain", "and bread")];
  chat.say(ADA, "look", { channel, thread: first.place.thread ?? "", files: more });
  await eventually(
    "it answers again",
    async () => botIn(chat, first).filter((text) => text.includes("Done as told.")).length === 2,
  );
});

it("says that attachments are off, where they are", async () => {
  const { chat, project } = await startTalking(await talkingProject());
  const files = [fileOf("notes.txt", "text/plain", "buy milk")];
  const first = chat.say(ADA, "look", { channel: CHANNEL, files });
  await botSays(chat, first, "Done as told.");
  expect((await shown(project)).prompt).toContain('not given to you: "notes.txt", attachments are off');
  expect(existsSync(join(project.folder, ".chat-attachments"))).toBe(false);
});

it("posts a file of its folder where the agent sends one, without the secrets in it, and none from elsewhere", async () => {
  const send = (path: string) => ({
    call: { tool: "mcp__baton__send_file", input: { path, comment: "Here" } },
  });
  const project = await talkingProject({
    scenario: talkative(
      { when: ({ last }) => last.endsWith("send it"), reply: send("report.md"), times: 1 },
      { when: ({ last }) => last.endsWith("send another"), reply: send("../elsewhere.md"), times: 1 },
    ),
    env: { SOME_API_KEY: "sk-very-secret-token-123456" },
  });
  writeFileSync(join(project.folder, "report.md"), "All is well. The token is sk-very-secret-token-123456.");
  const { chat } = await startTalking(project);
  const first = chat.say(ADA, "send it", { channel: CHANNEL });
  await botSays(chat, first, "Done as told.");
  await botSays(chat, first, "Here");
  const [sent, ...others] = chat.shown.filter(({ file }) => file);
  expect(sent?.file?.name).toBe("report.md");
  expect(sent?.file?.content).toMatch(/^All is well\. The token is (?!sk-very)/);
  const thread = first.place.thread ?? "";
  chat.say(ADA, "send another", { channel: CHANNEL, thread });
  await eventually(
    "it answers again",
    async () => botIn(chat, first).filter((text) => text.includes("Done as told.")).length === 2,
  );
  expect(others).toEqual([]);
  expect(chat.shown.filter(({ file }) => file)).toHaveLength(1);
});

it("has a worktree of its own, with what people attach, the same after a handoff", async () => {
  const { chat, project } = await startTalking(
    await talkingProject({
      chat: OPEN,
      agent: "workspace: { strategy: git_worktree }",
      scenario: talkative({
        when: ({ last }) => last.includes("keep this"),
        reply: { call: bash("cat .chat-attachments/*/1-notes.txt > kept.txt", "Keep it") },
        times: 1,
      }),
    }),
  );
  const first = chat.say(ADA, "keep this", {
    channel,
    files: [fileOf("notes.txt", "text/plain", "buy milk")],
  });
  const thread = first.place.thread ?? "";
  await botSays(chat, first, "Done as told.");
  const { workspace } = await shown(project);
  expect(readFileSync(join(workspace.path, "kept.txt"), "utf8")).toBe("buy milk");
  expect(existsSync(join(project.folder, "kept.txt"))).toBe(false);
  chat.say(ADA, "!handoff", { channel, thread });
  await botSays(chat, first, "fresh session continues (handoff 1)");
  chat.say(ADA, told("cp kept.txt again.txt"), { channel, thread });
  await eventually("it works there", async () => existsSync(join(workspace.path, "again.txt")));
  expect(await shown(project)).toMatchObject({ workspace, sessions: [{}, {}] });
});
