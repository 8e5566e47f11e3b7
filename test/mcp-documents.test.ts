import { existsSync } from "node:fs";
import { mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { expect, it } from "vitest";
import { readPending, writePending } from "../src/sessions/handoff/pending.ts";
import { pending } from "../src/sessions/record/handoff-state.ts";
import { baton } from "./harness.ts";
import { account, call, mcpClient, ownProject, refusal, registered, textOf } from "./own-session.ts";
import { untagged } from "./untagged.ts";

const DOCUMENT = "## Goal\n\nShip it.\n\n## Next steps\n\n- Tag\n";

it("says why a session cannot ask the one before it", async () => {
  const project = await ownProject();
  await registered(project, "s1");
  const client = await mcpClient(project, "s1");
  expect(await refusal(client, "ask_predecessor", { question: "What?" })).toContain(
    "This session has not picked up a handoff",
  );
});

it("starts no program for a question that came with the repository and is not trusted", async () => {
  const project = await ownProject("agents: [{ name: coder, executable: ./claude.sh }]\n");
  const started = join(project.folder, "..", "started");
  await writeFile(join(project.folder, "claude.sh"), `#!/bin/sh\ntouch ${started}\n`, { mode: 0o755 });
  await registered(project, "s1");
  await registered(project, "s2", undefined, { parent: "s1" });
  const client = await mcpClient(project, "s2");
  expect(await refusal(client, "ask_predecessor", { question: "What?" })).toMatch(
    /claude\.sh, named by agents\[coder\]\.executable, has not been reviewed\n.*baton trust/s,
  );
  expect(existsSync(started)).toBe(false);
});

it("offers its tools with typed results, and documents as resources", async () => {
  const project = await ownProject();
  await registered(project, "s1");
  const client = await mcpClient(project, "s1");
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name).sort()).toEqual([
    "ask_predecessor",
    "context_status",
    "continue_handoff",
    "dismiss_handoff",
    "handoff_created",
    "list_handoffs",
    "list_jobs",
    "list_workers",
    "read_handoff",
    "report_status",
    "request_handoff",
    "send_to_job",
    "show_job",
    "start_job",
    "subagent_status",
    "submit_handoff",
    "wait_for_job",
  ]);
  expect(tools.filter(({ outputSchema }) => outputSchema === undefined)).toEqual([]);

  await writeFile(join(project.folder, "notes.txt"), "one");
  const { document } = await call(client, "submit_handoff", account());
  const { handoffs } = await call(client, "list_handoffs");
  expect(handoffs).toEqual([
    expect.objectContaining({
      path: document,
      number: 1,
      session: "s1",
      job: null,
      goal: "Write notes.txt.",
    }),
  ]);
  const read = await call(client, "read_handoff", { document });
  expect(read).toMatchObject({ recorded: true, next_steps: ["Write the second line."] });
  expect(read.text).toContain((await textOf(document ?? "")).trimEnd());

  const { resources } = await client.listResources();
  expect(resources).toHaveLength(1);
  const { contents } = await client.readResource({ uri: resources[0]?.uri ?? "" });
  const [found] = contents;
  expect(found).toMatchObject({ mimeType: "text/markdown" });
  expect(found && "text" in found ? untagged(found.text) : "").toContain(await textOf(document ?? ""));
});

it("leaves the handoffs of a job to the job", async () => {
  const project = await ownProject();
  const client = await mcpClient({ ...project, env: { ...project.env, BATON_JOB_ID: "job-1" } }, "s1");
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(["list_handoffs", "read_handoff", "continue_handoff"]);
});

it("reads nothing outside of its project, whichever way out is tried", async () => {
  const project = await ownProject();
  const { folder, handoffs } = project;
  const secret = join(folder, "..", "secret.md");
  await writeFile(secret, DOCUMENT);
  await mkdir(handoffs, { recursive: true });
  await symlink(secret, join(handoffs, "handoff-2026-01-01-000000.md"));
  await symlink(join(folder, ".."), join(folder, "up"));
  await registered(project, "s1");
  const client = await mcpClient(project, "s1");
  for (const document of [
    secret,
    "../secret.md",
    "up/secret.md",
    "handoff-2026-01-01-000000.md",
    "/etc/passwd",
  ])
    for (const tool of ["read_handoff", "continue_handoff"])
      expect(await refusal(client, tool, { document })).toContain("outside the project");
  expect(
    await refusal(client, "handoff_created", {
      project: folder,
      handoff_path: "up/secret.md",
      session_type: "cli",
    }),
  ).toContain("outside the project");
  for (const name of ["..%2F..%2F..%2Fsecret.md", "handoff-2026-01-01-000000.md"])
    await expect(client.readResource({ uri: `baton://handoffs/${name}` })).rejects.toThrow(
      "outside the project",
    );
  expect((await call(client, "list_handoffs")).handoffs).toEqual([]);
  expect(await refusal(client, "read_handoff", { document: "baton.yaml" })).toContain(
    "not a handoff document",
  );
});

it("does not follow a folder of handoffs that a repository has made a link to elsewhere", async () => {
  const project = await ownProject();
  const elsewhere = join(project.folder, "..", "elsewhere");
  await mkdir(elsewhere);
  await writeFile(join(elsewhere, "handoff-1.md"), DOCUMENT);
  await mkdir(join(project.folder, ".baton"));
  await symlink(elsewhere, project.handoffs);
  await registered(project, "s1");
  const client = await mcpClient(project, "s1");
  expect((await call(client, "list_handoffs")).handoffs).toEqual([]);
  expect(await refusal(client, "read_handoff", { document: "handoff-1.md" })).toContain("outside");
});

it("continues the handoff that waits: both sessions name each other, and its mail is delivered", async () => {
  const project = await ownProject();
  await writeFile(join(project.folder, "notes.txt"), "one");
  await registered(project, "s1");
  const { document = "" } = await call(await mcpClient(project, "s1"), "submit_handoff", account());
  const mail = { from: "w1", text: "Login: done", at: "2026-01-01T00:00:00.000Z" };
  await project.registry.update("s1", (known) => known && { ...known, mail: [mail] });
  await writePending(
    { dir: project.handoffs },
    {
      document,
      number: 1,
      session: "s1",
      created: new Date().toISOString(),
      reason: "a session in a browser cannot be started for you",
    },
  );
  await registered(project, "s2", []);
  const client = await mcpClient(project, "s2");
  expect((await call(client, "list_handoffs")).pending).toBe(document);

  const taken = await call(client, "continue_handoff");
  expect(taken).toMatchObject({ path: document, mail: [mail] });
  expect(taken.message).toContain(`This is handoff 1 of this work, in ${document}`);
  expect(taken.message).toContain("Write the second line.");
  expect(await project.registry.find("s1")).toMatchObject({
    handoff: { state: "taken-up", successor: "s2", documentPath: document },
    mail: [],
  });
  expect(await project.registry.find("s2")).toMatchObject({ parent: "s1", mail: [] });
  expect(await readPending(project.handoffs)).toEqual([]);
  expect(await readdir(project.handoffs)).toHaveLength(1);

  await registered(project, "s3", []);
  const late = await call(await mcpClient(project, "s3"), "continue_handoff");
  expect(late.message).toContain("Session s2 picked up this handoff before you.");
});

/** Two sessions that have handed over, and whose work waits for somebody. */
async function twoThatWait() {
  const project = await ownProject();
  await writeFile(join(project.folder, "notes.txt"), "one");
  const documents: string[] = [];
  for (const session of ["s1", "s2"]) {
    await registered(project, session);
    const { document = "" } = await call(await mcpClient(project, session), "submit_handoff", account());
    documents.push(document);
    const created = new Date().toISOString();
    const reason = "a session in a browser cannot be started for you";
    await writePending({ dir: project.handoffs }, { document, number: 1, session, created, reason });
    await project.registry.update(session, (known) => {
      const handoff = known && pending(known.handoff, reason, created);
      return handoff && { ...known, handoff };
    });
  }
  await registered(project, "s3", []);
  const [first = "", second = ""] = documents;
  return { project, first, second, client: await mcpClient(project, "s3") };
}

it("offers every handoff that waits, and loses none where another is picked up", async () => {
  const { project, first, second, client } = await twoThatWait();
  const { waiting } = await call(client, "list_handoffs");
  expect(waiting).toMatchObject([{ document: second }, { document: first }]);
  const asked = await refusal(client, "continue_handoff");
  expect(asked).toContain("2 handoffs wait");
  expect(asked).toContain(first);
  expect(asked).toContain(second);
  expect(await call(client, "continue_handoff", { document: second })).toMatchObject({ path: second });
  expect((await call(client, "list_handoffs")).waiting).toMatchObject([{ document: first }]);
  await registered(project, "s4", []);
  const next = await mcpClient(project, "s4");
  expect(await call(next, "continue_handoff")).toMatchObject({ path: first });
  expect(await readdir(project.handoffs)).not.toContain("HANDOFF_PENDING.md");
});

it("dismisses one that waits, and keeps its document", async () => {
  const { project, first, second, client } = await twoThatWait();
  const name = basename(second);
  expect(await call(client, "dismiss_handoff", { document: name })).toMatchObject({ path: second });
  expect(await refusal(client, "dismiss_handoff", { document: name })).toContain("is not waiting");
  expect((await call(client, "list_handoffs")).waiting).toMatchObject([{ document: first }]);
  expect(await readdir(project.handoffs)).toContain(name);

  const { stdout } = await baton(project, ["handoffs"]);
  expect(stdout.split("\n").filter((line) => line.includes("waits"))).toEqual([
    expect.stringContaining(basename(first)),
  ]);
  const dismissed = await baton(project, ["handoff", "dismiss", basename(first)]);
  expect(dismissed.stdout).toContain("is no longer waiting");
  expect((await call(client, "list_handoffs")).waiting).toEqual([]);
  expect((await baton(project, ["status"])).stdout).not.toContain("pending");
  expect((await baton(project, ["handoff", "dismiss", first])).code).toBe(2);
});

it("says what to do where there is no handoff, and where nobody knows the session", async () => {
  const project = await ownProject();
  await registered(project, "s1");
  const client = await mcpClient(project, "s1");
  expect(await refusal(client, "continue_handoff")).toContain("There is no handoff in");
  expect(await refusal(client, "read_handoff", { document: "none.md" })).toContain("list_handoffs lists");
  const stranger = await mcpClient(project, "nobody");
  expect(await refusal(stranger, "context_status")).toContain("baton install claude-code");
  await writeFile(join(project.folder, "baton.yaml"), "agents: 3\n");
  expect(await refusal(client, "list_handoffs")).toContain("baton.yaml");
});
