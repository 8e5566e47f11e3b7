import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { parseDocument } from "../src/handoff/document.ts";
import { continueLine } from "../src/sessions/record/own-words.ts";
import { aHandoff } from "./a-handoff.ts";
import { baton, git } from "./harness.ts";
import {
  account,
  call,
  called,
  conversation,
  mcpClient,
  type OwnProject,
  ownProject,
  REQUEST,
  refusal,
  registered,
  said,
  textOf,
} from "./own-session.ts";

async function withNotes(yaml?: string): Promise<OwnProject> {
  const project = await ownProject(yaml);
  await writeFile(join(project.folder, "notes.txt"), "one");
  return project;
}

it("stores a good account, with the facts of the transcript, before it answers", async () => {
  const project = await withNotes();
  const session = await registered(project, "s1");
  const client = await mcpClient(project, "s1");

  const answer = await call(client, "submit_handoff", account());
  expect(answer).toMatchObject({ status: "stored", number: 1 });

  const { head, account: stored, facts } = parseDocument(await textOf(answer.document ?? ""));
  expect(head).toMatchObject({ job: null, number: 1, previous: null, parent: null, outcome: "written" });
  expect(head).toMatchObject({ session: "s1", transcript: session.transcript, reason: "manual" });
  expect(head).toMatchObject({ tokens: 90_030, window: 200_000, percent: 45, branch: "main" });
  expect(stored.goal).toBe("Write notes.txt.");
  expect(facts).toContain(`> ${REQUEST}`);
  expect((await project.registry.find("s1"))?.handoff).toMatchObject({
    state: "stored",
    number: 1,
    documentPath: answer.document,
  });

  const twice = await call(client, "submit_handoff", account());
  expect(twice).toMatchObject({ status: "stored", document: answer.document });
  expect(await readdir(project.handoffs)).toHaveLength(1);
});

it("stores an account by the defaults where the configuration cannot be read, and says so", async () => {
  const project = await withNotes();
  await registered(project, "s1");
  const client = await mcpClient(project, "s1");
  await writeFile(join(project.folder, "baton.yaml"), "agents: 7\n");
  const { status, document, warnings } = await call(client, "submit_handoff", account());
  expect({ status, warnings }).toEqual({
    status: "stored",
    warnings: [expect.stringContaining("so the defaults apply: baton.yaml:1:1 agents must be a list")],
  });
  expect(dirname(document ?? "")).toBe(project.handoffs);
});

it("says exactly what an account lacks, and completes the second one from the facts", async () => {
  const project = await withNotes();
  await registered(project, "s1", conversation(project.folder), {
    handoff: aHandoff("asked"),
  });
  const client = await mcpClient(project, "s1");
  const short = account({ constraints: [], filesChanged: [], currentState: "One line.", goal: "Write." });

  const first = await call(client, "submit_handoff", short);
  expect(first).toMatchObject({
    status: "again",
    missing: [
      "notes.txt was changed and is not named",
      "the user's constraint is not there word for word: Never touch baton.yaml.",
    ],
  });
  expect(first.message).toContain("Call submit_handoff once more");
  expect(await readdir(project.handoffs).catch(() => [])).toEqual([]);

  const second = await call(client, "submit_handoff", short);
  expect(second).toMatchObject({ status: "stored", number: 1 });
  expect(second.mended).toContain("notes.txt was changed");
  const { head, account: stored } = parseDocument(await textOf(second.document ?? ""));
  expect(head).toMatchObject({ outcome: "mended", reason: "threshold" });
  expect(stored.constraints).toEqual(["Never touch baton.yaml. (from facts)"]);
  expect(stored.filesChanged).toEqual([{ path: "notes.txt", change: "created (from facts)" }]);
});

it("takes nothing for true that the files, git or the last test run contradict", async () => {
  const project = await withNotes();
  const entries = [
    ...conversation(project.folder),
    ...called("Bash", { command: "npm test" }, "2 failed", true),
  ];
  await registered(project, "s1", entries);
  const client = await mcpClient(project, "s1");
  const untrue = account({
    progress: { done: ["All tests pass"], inProgress: [], pending: [] },
    currentState: "On branch release, and `src/gone.ts` is there.",
  });

  const { missing } = await call(client, "submit_handoff", untrue);
  expect(missing).toEqual([
    "src/gone.ts is named but does not exist",
    "the branch is main, not release",
    '"All tests pass" is listed as done, but the last test run failed: npm test',
  ]);

  const { document } = await call(client, "submit_handoff", untrue);
  const { head, account: stored } = parseDocument(await textOf(document ?? ""));
  expect(head.outcome).toBe("mended");
  expect(stored.currentState).toContain("the branch is main, not release (from facts)");
});

it("knows files by the folder that the session began in, wherever the agent has gone since", async () => {
  const project = await withNotes();
  const [first, ...rest] = conversation(project.folder);
  await mkdir(join(project.folder, "deep"));
  await registered(project, "s1", [{ ...first, cwd: project.folder }, ...rest], {
    cwd: join(project.folder, "deep"),
  });
  const answer = await call(await mcpClient(project, "s1"), "submit_handoff", account());
  expect(answer).toMatchObject({ status: "stored" });
});

it("keeps secrets out of the document, and out of what is kept beside it", async () => {
  const project = await withNotes();
  const secret = "s3cr3t-value-of-mine";
  const entries = [said(`${REQUEST} The password is ${secret}.`), ...conversation(project.folder).slice(1)];
  await registered(project, "s1", entries);
  const client = await mcpClient({ ...project, env: { ...project.env, MY_TOKEN: secret } }, "s1");
  const { document } = await call(client, "submit_handoff", account({ criticalContext: [`Use ${secret}`] }));
  expect(await textOf(document ?? "")).toContain("[redacted: MY_TOKEN]");
  for (const text of [document ?? "", join(project.registry.folder, "..", "facts", "s1")])
    expect(await textOf(text)).not.toContain(secret);
});

it("numbers handoffs along the chain of sessions, and the facts of earlier ones stay known", async () => {
  const project = await withNotes();
  await registered(project, "s1");
  const { document } = await call(await mcpClient(project, "s1"), "submit_handoff", account());
  await registered(project, "s2", [said(continueLine(document ?? ""))], {
    parent: "s1",
  });
  const client = await mcpClient(project, "s2");

  const { missing } = await call(client, "submit_handoff", account({ constraints: [], filesChanged: [] }));
  expect(missing).toEqual(["the user's constraint is not there word for word: Never touch baton.yaml."]);
  const last = await call(client, "submit_handoff", account());
  expect(last).toMatchObject({ status: "stored", number: 2 });
  const { head, facts } = parseDocument(await textOf(last.document ?? ""));
  expect(head).toMatchObject({ number: 2, previous: document, session: "s2", parent: "s1" });
  expect(facts).toContain(`> ${REQUEST}`);
});

const LIVING = "agents: [{ name: coder, handoff: { living_document: { path: docs/HANDOFF.md } } }]\n";

it("commits the living document, with the workers of an orchestrator in it, before it answers", async () => {
  const project = await withNotes(LIVING);
  await registered(project, "boss", conversation(project.folder), { role: "orchestrator" });
  await registered(project, "w1", [], {
    role: "worker",
    report: {
      orchestrator: "boss",
      task: "Login",
      status: "done",
      branch: "login",
      at: "2026-01-01T10:00:00Z",
    },
  });
  const { status } = await call(await mcpClient(project, "boss"), "submit_handoff", account());
  expect(status).toBe("stored");
  expect(await git(project.folder, "show", "HEAD:docs/HANDOFF.md")).toContain(
    "| w1 | Login | done | login | 2026-01-01 10:00 UTC |",
  );
});

it("lets nothing be cleared while the living document has a conflict, and says so", async () => {
  const project = await withNotes(LIVING);
  await registered(project, "s1");
  const { folder } = project;
  await conflictIn(folder, "docs/HANDOFF.md");
  const client = await mcpClient(project, "s1");

  const stopped = await call(client, "submit_handoff", account());
  expect(stopped.status).toBe("stopped");
  expect(stopped.message).toContain("docs/HANDOFF.md has a merge conflict");
  expect((await project.registry.find("s1"))?.handoff).toMatchObject({ state: "failed", number: 1 });

  await git(folder, "checkout", "--ours", "docs/HANDOFF.md");
  await git(folder, "add", "docs/HANDOFF.md");
  await git(folder, "commit", "-qm", "Resolve");
  const stored = await call(client, "submit_handoff", account());
  expect(stored).toMatchObject({ status: "stored", number: 2 });
  expect(parseDocument(await textOf(stored.document ?? "")).head.previous).toBe(stopped.document);
});

async function conflictIn(folder: string, path: string): Promise<void> {
  const write = async (text: string) => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
    await git(folder, "add", "-A");
    await git(folder, "commit", "-qm", text);
  };
  await git(folder, "checkout", "-q", "-b", "other");
  await write("theirs");
  await git(folder, "checkout", "-q", "main");
  await write("ours");
  await git(folder, "merge", "other").catch(() => {});
}

it("keeps a document that the agent wrote itself in its file, completes it, and refuses another project", async () => {
  const project = await withNotes();
  await registered(project, "s1");
  const client = await mcpClient(project, "s1");
  const mine =
    "---\nepic: EPIC-7\n---\n# My own title\n\nAs I see it.\n\n## Goal\n\nWrite notes.txt.\n\n## Constraints\n\n- Never touch baton.yaml.\n\n## Progress\n\n- [x] One line\n\n## Current state\n\nnotes.txt is there.\n\n## Next steps\n\n- Another line\n";
  await writeFile(join(project.folder, "my-handoff.md"), mine);
  const created = { project: "project", handoff_path: "my-handoff.md", session_type: "browser" };

  const path = join(project.folder, "my-handoff.md");
  const answer = await call(client, "handoff_created", created);
  expect(answer).toMatchObject({ status: "stored", number: 1, document: path });
  expect(answer.message).toContain("/baton:continue");
  expect(await project.registry.find("s1")).toMatchObject({
    kind: "browser",
    handoff: { state: "stored", documentPath: path },
  });
  expect(await readdir(project.handoffs).catch(() => [])).toEqual([]);
  const text = await textOf(path);
  expect(text).toContain(mine.slice(mine.indexOf("# My own title")).trimEnd());
  expect(text).toContain("## Files changed\n\n- `notes.txt`");
  expect(text).toContain("## Facts\n");
  expect(text).toContain("## Instructions for the new session\n");
  expect(parseDocument(text).head).toMatchObject({
    number: 1,
    session: "s1",
    epic: "EPIC-7",
    previous: null,
  });

  // In the history, as those that Baton stores itself.
  const { handoffs } = await call(client, "list_handoffs");
  expect(handoffs).toMatchObject([{ path, number: 1, session: "s1", goal: "Write notes.txt." }]);
  expect(await call(client, "read_handoff", { document: "my-handoff.md" })).toMatchObject({ recorded: true });
  const { resources } = await client.listResources();
  await client.readResource({ uri: resources[0]?.uri ?? "" });
  const { stdout } = await baton(project, ["handoffs", "--json"]);
  expect(JSON.parse(stdout)).toMatchObject([{ fromSession: "s1", documentPath: path }]);

  // The same once more is the same handoff.
  expect(await call(client, "handoff_created", created)).toMatchObject({ status: "stored", number: 1 });
  expect((await textOf(path)).match(/^## Facts$/gm)).toHaveLength(1);
  expect(await refusal(client, "handoff_created", { ...created, project: "other" })).toContain(
    `serves ${project.folder} and no other project`,
  );
});

it("keeps a living document for an orchestrator, which can be archived, and for nobody else", async () => {
  const project = await withNotes();
  const living = join(project.folder, "docs", "HANDOFF.md");
  await registered(project, "s1");
  expect(await call(await mcpClient(project, "s1"), "submit_handoff", account())).toMatchObject({
    status: "stored",
  });
  await expect(textOf(living)).rejects.toThrow("ENOENT");

  await registered(project, "s2", conversation(project.folder), { role: "orchestrator" });
  const orchestrator = await mcpClient(project, "s2");
  expect(await call(orchestrator, "submit_handoff", account())).toMatchObject({ status: "stored" });
  expect(await textOf(living)).toContain("- **Session**: s2");
  const subjects = () => git(project.folder, "log", "--format=%s", "--", "docs");
  expect(await subjects()).toBe("docs: handoff checkpoint");
  const { code, stderr } = await baton(project, ["handoff", "archive"]);
  expect(code, stderr).toBe(0);
  expect(await subjects()).toBe("docs: archive the handoff document\ndocs: handoff checkpoint");
});

it.each([
  [
    "nothing of a living document that the project does not want",
    "watch: { living_document: false }\n",
    "",
    "none",
  ],
  ["a living document that git ignores, and stores the handoff all the same", "", "docs\n", "written"],
])("keeps for an orchestrator %s", async (_what, yaml, ignored, expected) => {
  const project = await withNotes(`agents: [{ name: coder }]\n${yaml}`);
  await writeFile(join(project.folder, ".gitignore"), `.gitignore\n${ignored}`);
  await registered(project, "s1", conversation(project.folder), { role: "orchestrator" });
  const answer = await call(await mcpClient(project, "s1"), "submit_handoff", account());
  expect(answer).toMatchObject({ status: "stored" });
  const found = await textOf(join(project.folder, "docs", "HANDOFF.md")).then(
    () => "written",
    () => "none",
  );
  expect(found).toBe(expected);
  expect(await git(project.folder, "log", "--format=%s", "--", "docs")).toBe("");
});

it("tells what to submit when the agent asks for a handoff itself", async () => {
  const project = await withNotes("agents: [{ name: coder, handoff: { template_path: template.md } }]\n");
  await writeFile(join(project.folder, "template.md"), "## Goal\n\n## Risks\n");
  await registered(project, "s1");
  const client = await mcpClient(project, "s1");
  const { message, number } = await call(client, "request_handoff", {
    reason: "A large step",
    focus: "tests",
  });
  expect(number).toBe(1);
  expect(message).toContain("## Risks");
  expect(message).toContain('You wanted it to focus on: "tests"');
  const { missing } = await call(client, "submit_handoff", account());
  expect(missing).toEqual(['the section "Risks" is missing, empty or a placeholder']);
  const answer = await call(
    client,
    "submit_handoff",
    account({ extra: [{ title: "Risks", text: "None." }] }),
  );
  expect(parseDocument(await textOf(answer.document ?? "")).head.reason).toBe("agent");
});

it("has nothing to hand off before anything was said, and nothing once the pane is being cleared", async () => {
  const project = await ownProject();
  await registered(project, "new", []);
  await registered(project, "old", conversation(project.folder), {
    handoff: aHandoff("clearing"),
  });
  const [fresh, cleared] = await Promise.all([mcpClient(project, "new"), mcpClient(project, "old")]);
  expect(await refusal(fresh, "submit_handoff", account())).toContain("Nothing to hand off yet");
  expect(await refusal(cleared, "submit_handoff", account())).toContain("end your turn");
});

it("takes a handoff also where the transcript is gone, and says so", async () => {
  const project = await withNotes();
  const { transcript } = await registered(project, "s1");
  await rm(transcript ?? "");
  const answer = await call(await mcpClient(project, "s1"), "submit_handoff", account());
  expect(answer).toMatchObject({ status: "stored", warnings: [expect.stringContaining("was not found")] });
});

it("stores one document when two servers of a session get the same account at once", async () => {
  const project = await withNotes();
  await registered(project, "s1");
  await registered(project, "s2");
  const clients = await Promise.all(["s1", "s1", "s2"].map((id) => mcpClient(project, id)));
  const answers = await Promise.all(clients.map((client) => call(client, "submit_handoff", account())));
  expect(answers.map(({ status }) => status)).toEqual(["stored", "stored", "stored"]);
  expect(answers[0]?.document).toBe(answers[1]?.document);
  expect(answers[2]?.document).not.toBe(answers[0]?.document);
  expect(await readdir(project.handoffs)).toHaveLength(2);
});
