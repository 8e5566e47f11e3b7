import { describe, expect, it } from "vitest";
import { startGitHub } from "../../../test/github-server.ts";
import { itemsOf, LABELS, startSource } from "../../../test/github-source.ts";
import { openGitHub } from "./open.ts";

const { signal } = new AbortController();

describe("a poll of GitHub", () => {
  it("finds what is ready or marked as taken, and no pull requests", async () => {
    await using at = await startSource();
    const { repo, source } = at;
    repo.open({ title: "Fix login", body: "It fails.", by: "alice", labels: ["ready", "p1"] });
    repo.open({ title: "Taken", by: "alice", labels: ["agent-working"] });
    repo.open({ title: "Not ready", by: "alice" });
    repo.open({ title: "A pull request", by: "alice", labels: ["ready"], isPull: true });
    const poll = await source.poll(signal);
    expect(poll).toMatchObject({ kind: "items", budget: { limit: 5_000, remaining: expect.any(Number) } });
    const found = poll.kind === "items" ? poll.items : [];
    const [first, second, ...others] = found.sort((a, b) => Number(a.id) - Number(b.id));
    expect(others).toEqual([]);
    expect(first).toMatchObject({
      id: "1",
      title: "Fix login",
      text: "It fails.",
      url: expect.stringContaining("/acme/app/issues/1"),
      priority: 2,
      isOpen: true,
      isReady: true,
      isMarkedTaken: false,
      by: { name: "alice", trusted: true },
    });
    expect(second).toMatchObject({ id: "2", isReady: false, isMarkedTaken: true });
    expect(source.name).toMatch(/^github:127\.0\.0\.1:\d+\/acme\/app$/);
    expect(source.serverTime?.getTime()).toBeGreaterThan(Date.now() - 60_000);
  });

  it("costs nothing while nothing changes, and tells all again when something does", async () => {
    await using at = await startSource();
    const { repo, source, github, spent } = at;
    for (let count = 0; count < 130; count++) {
      repo.open({ title: `Issue ${count}`, by: "alice", labels: ["ready"] });
    }
    expect(await itemsOf(source)).toHaveLength(130);
    const before = spent();
    expect(await source.poll(signal)).toMatchObject({ kind: "unchanged" });
    expect(spent()).toBe(before);
    expect(github.requests.slice(-3).map(({ status }) => status)).toEqual([304, 304, 304]);
    repo.removeLabel(3, "ready", "alice");
    expect(await itemsOf(source)).toHaveLength(129);
  });
});

describe("a poll that is told", () => {
  it("again after a while, for who may write is not in a list of issues", async () => {
    let now = new Date("2026-11-18T12:00:00Z");
    await using at = await startSource({ pace: { now: () => now } });
    const { repo, source } = at;
    repo.open({ title: "Fix login", by: "rita", labels: ["ready"] });
    expect((await itemsOf(source))[0]?.by.trusted).toBe(false);
    repo.collaborators.set("rita", "write");
    expect((await source.poll(signal)).kind).toBe("unchanged");
    now = new Date("2026-11-18T12:10:00Z");
    expect((await itemsOf(source))[0]?.by.trusted).toBe(true);
  });

  it("only once it is whole: what one list said is not lost where the other failed", async () => {
    await using at = await startSource();
    const { repo, source, github } = at;
    repo.open({ title: "Fix login", by: "alice", labels: ["ready"] });
    github.fault({ path: /labels=agent-working/, how: "reset", times: 3 });
    await expect(source.poll(signal)).rejects.toMatchObject({ code: "unreachable" });
    github.fault({ path: /permission/, how: "reset", times: 3 });
    await expect(source.poll(signal)).rejects.toMatchObject({ code: "unreachable" });
    expect(await itemsOf(source)).toMatchObject([{ id: "1" }]);
  });

  it("without what is no issue", async () => {
    await using at = await startSource();
    const { repo, source, github } = at;
    repo.open({ title: "Fix login", by: "alice", labels: ["ready"] });
    await itemsOf(source);
    const good = {
      number: 2,
      node_id: "I_2",
      title: "Good",
      html_url: "https://example.invalid/2",
      state: "open",
      labels: ["READY", { name: "Priority: High" }, { name: null }, { id: 1 }],
      created_at: "2026-11-18T12:00:00Z",
      updated_at: "2026-11-18T12:00:00Z",
    };
    const bad = [
      null,
      7,
      {},
      { ...good, number: "2" },
      { ...good, number: -1 },
      { ...good, labels: "ready" },
      { ...good, html_url: "javascript:alert(1)" },
    ];
    const body = JSON.stringify([
      ...bad,
      good,
      { ...good, number: 3, title: "x".repeat(5_000), assignees: null, user: null },
    ]);
    github.fault({ path: /labels=ready/, how: { status: 200, body } });
    const found = await itemsOf(source);
    expect(found).toMatchObject([
      { id: "2", priority: 2, isReady: true, by: { name: "ghost" } },
      { id: "3" },
    ]);
    expect(found[1]?.title).toHaveLength(1_000);
    github.fault({ path: /labels=ready/, how: { status: 200, body: '{"message":"no list"}' } });
    await expect(source.poll(signal)).rejects.toMatchObject({ code: "refused" });
  });
});

it("takes what is assigned to its own account for nobody else's", async () => {
  await using at = await startSource();
  const { repo, source } = at;
  const issue = repo.open({ title: "Fix login", by: "alice", labels: ["ready"] });
  const read = async () => (await source.read(String(issue), signal))?.assignees;
  repo.assign(issue, ["robot"], "alice");
  expect([(await itemsOf(source))[0]?.assignees, await read()]).toEqual([[], []]);
  repo.assign(issue, ["alice"], "alice");
  expect([(await itemsOf(source))[0]?.assignees, await read()]).toEqual([["alice"], ["alice"]]);
});

describe("an item that is read", () => {
  it("says who made it ready, whose words are in it and what it waits for", async () => {
    await using at = await startSource();
    const { repo, source, github } = at;
    const other = github.repo("acme/lib");
    repo.open({ title: "First", by: "alice" });
    repo.open({ title: "Done", by: "alice" });
    repo.edit(2, { state: "closed" }, "alice");
    const id = repo.open({
      title: "Fix login",
      body: "It fails.",
      by: "rita",
      labels: ["ready"],
      labelledBy: "tom",
    });
    repo.block(id, 1);
    repo.block(id, 2);
    for (const by of ["alice", "rita", "stranger", "robot", "dependabot[bot]"])
      repo.comment(id, by, `I am ${by}.`);
    const read = await source.read("3", signal);
    expect(read).toMatchObject({
      text: "It fails.",
      by: { name: "rita", trusted: false },
      readyBy: { by: { name: "tom", trusted: false }, at: expect.any(String) },
      blockedBy: ["#1"],
    });
    expect(read?.comments.map(({ by }) => [by.name, by.trusted])).toEqual([
      ["alice", true],
      ["rita", false],
      ["stranger", false],
      // A person whose token is used has words of their own.
      ["robot", true],
      ["dependabot[bot]", false],
    ]);
    const [item] = await itemsOf(source);
    if (!item) throw new Error("no item");
    await source.report(item, { marker: "job-1", text: "Working" }, signal);
    expect((await source.read("3", signal))?.comments).toHaveLength(5);
    repo.removeLabel(id, "ready", "tom");
    repo.addLabels(id, ["ready"], "alice");
    repo.collaborators.set("rita", "maintain");
    const again = await source.read("3", signal);
    expect(again?.readyBy?.by).toEqual({ name: "alice", trusted: true });
    expect(again?.by.trusted).toBe(true);
    expect(other.issues.size).toBe(0);
  });

  it("is not there where it is gone, elsewhere, a pull request or no number", async () => {
    await using at = await startSource();
    const { repo, source, github } = at;
    const other = github.repo("acme/lib");
    repo.open({ title: "Moves", by: "alice" });
    repo.open({ title: "A pull request", by: "alice", isPull: true });
    github.transfer(repo, 1, other);
    for (const id of ["1", "2", "99", "0", "../labels", "1e1"])
      expect(await source.read(id, signal)).toBeUndefined();
  });

  it("is ours where its repository has another name now, and marks reach it", async () => {
    await using at = await startSource();
    const { repo, source, github } = at;
    repo.open({ title: "Fix login", by: "alice", labels: ["ready"] });
    github.rename(repo, "acme/next");
    const [item] = await itemsOf(source);
    expect(await source.read("1", signal)).toMatchObject({
      title: "Fix login",
      readyBy: { by: { trusted: true } },
    });
    if (item) await source.markTaken(item, signal);
    expect(repo.issue(1).labels).toEqual(["agent-working"]);
  });

  it("is no answer at all where the repository cannot be seen", async () => {
    await using at = await startSource();
    const { repo, source } = at;
    repo.open({ title: "Fix login", by: "alice", labels: ["ready"] });
    repo.options.private = true;
    repo.collaborators.delete("robot");
    await expect(source.read("1", signal)).rejects.toMatchObject({ code: "not-found" });
  });

  it("of an account that is gone is nobody's", async () => {
    await using at = await startSource();
    at.repo.open({ title: "Fix login", by: null, labels: ["ready"] });
    const nobody = { name: "ghost", trusted: false };
    expect(await at.source.read("1", signal)).toMatchObject({ by: nobody, readyBy: { by: nobody } });
  });

  it("was made ready by whom a person let, not by the App that put the label back", async () => {
    await using github = await startGitHub();
    const repo = github.repo("acme/app", { collaborators: { alice: "write" } });
    const app = github.accounts.app("baton-bot", ["acme/app"], { issues: "write" });
    const auth = {
      kind: "app",
      id: app.id,
      installation: app.installation,
      privateKey: { env: "KEY" },
    } as const;
    const source = openGitHub(
      { repo: "acme/app", apiUrl: github.url, labels: LABELS, auth },
      { KEY: app.privateKey },
    );
    repo.open({ title: "Fix login", by: "alice", labels: ["ready"] });
    const [item] = await itemsOf(source);
    if (!item) throw new Error("no item");
    await source.markTaken(item, signal);
    await source.markReleased(item, { failed: false, ready: true }, signal);
    expect(repo.issue(1).events.at(-2)).toMatchObject({ event: "labeled", actor: "baton-bot[bot]" });
    expect((await source.read("1", signal))?.readyBy?.by).toMatchObject({ name: "alice", trusted: true });
    await source.report(item, { marker: "job-1", text: "Working" }, signal);
    repo.comment(1, "baton-bot[bot]", "Said by the App");
    expect(repo.issue(1).comments).toHaveLength(2);
    expect((await source.read("1", signal))?.comments).toEqual([]);
  });
});

describe("marks on GitHub", () => {
  it("that a token may not set are told from an issue that is gone", async () => {
    await using at = await startSource();
    const { repo, source } = at;
    repo.open({ title: "Fix login", by: "alice", labels: ["ready"] });
    const [item] = await itemsOf(source);
    if (!item) throw new Error("no item");
    repo.collaborators.set("robot", "read");
    const rights = { code: "no-access", message: expect.stringContaining("give it write access to issues") };
    await expect(source.markTaken(item, signal)).rejects.toMatchObject(rights);
    await expect(source.markReleased(item, { failed: false, ready: false }, signal)).rejects.toMatchObject(
      rights,
    );
    repo.collaborators.set("robot", "write");
    repo.issues.delete(1);
    await expect(source.markTaken(item, signal)).rejects.toMatchObject({ code: "not-found" });
    await expect(source.markDelivered(item, signal)).rejects.toMatchObject({ code: "not-found" });
  });

  it("can be set again and again, and taken away where they are not", async () => {
    await using at = await startSource();
    const { repo, source } = at;
    repo.open({ title: "Fix login", by: "alice", labels: ["Ready"] });
    const [item] = await itemsOf(source);
    if (!item) throw new Error("no item");
    const labels = () => [...repo.issue(1).labels].sort();
    for (const _ of [1, 2]) await source.markTaken(item, signal);
    expect(labels()).toEqual(["agent-working"]);
    for (const _ of [1, 2]) await source.markReleased(item, { failed: false, ready: true }, signal);
    expect(labels()).toEqual(["ready"]);
    await source.markTaken(item, signal);
    for (const _ of [1, 2]) await source.markReleased(item, { failed: true, ready: true }, signal);
    expect(labels()).toEqual(["failed"]);
    await source.markTaken({ ...item, labels: ["failed"] }, signal);
    for (const _ of [1, 2]) await source.markDelivered(item, signal);
    expect(labels()).toEqual([]);
    await source.markTaken(item, signal);
    await source.markReleased(item, { failed: false, ready: false }, signal);
    expect(labels()).toEqual([]);
    expect(repo.issue(1).state).toBe("open");
    expect(await itemsOf(source)).toEqual([]);
  });
});
