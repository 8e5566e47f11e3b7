import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";
import { openGitHub } from "../src/sources/github/open.ts";
import { type GitHubServer, startGitHub } from "./github-server.ts";
import { LABELS } from "./github-source.ts";
import { needs, PROGRAMS } from "./needs.ts";

const run = promisify(execFile);
const { signal } = new AbortController();

interface Answer {
  status: number;
  data: unknown;
}

/** What of the official SDK is used here. */
interface Sdk {
  rest: Record<string, Record<string, (parameters?: object) => Promise<Answer>>>;
  paginate: (method: unknown, parameters: object) => Promise<Record<string, unknown>[]>;
}

async function sdk() {
  const found = createRequire(join(PROGRAMS, "octokit")).resolve("octokit");
  const { Octokit, App } = await import(pathToFileURL(found).href);
  const quiet = {
    throttle: { enabled: false },
    retry: { enabled: false },
    log: { debug() {}, info() {}, warn() {}, error() {} },
  };
  const Plain = Octokit.defaults(quiet);
  return {
    withToken: (auth: string, baseUrl: string): Sdk => new Plain({ auth, baseUrl }),
    asApp: (app: { id: string; privateKey: string }, baseUrl: string) =>
      new App({ appId: app.id, privateKey: app.privateKey, Octokit: Plain.defaults({ baseUrl }) }),
  };
}

/** A repository of git with a branch that is ahead of `main`. */
async function gitRepository() {
  const folder = await mkdtemp(join(tmpdir(), "baton-test-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const git = async (...args: string[]) => (await run("git", ["-C", folder, ...args])).stdout.trim();
  await git("init", "-q", "--bare");
  const tree = await git("hash-object", "-w", "-t", "tree", "/dev/null");
  const who = ["-c", "user.name=T", "-c", "user.email=t@example.invalid"];
  const first = await git(...who, "commit-tree", tree, "-m", "First");
  const second = await git(...who, "commit-tree", tree, "-p", first, "-m", "Second");
  await git("update-ref", "refs/heads/main", first);
  await git("update-ref", "refs/heads/work", second);
  return { folder, first, second, tree };
}

/** The calls that were made, without what is one's own in them. */
function callsOf(github: GitHubServer): string[] {
  const calls = github.requests.map(({ method, path }) =>
    `${method} ${path}`
      .replace(/\?.*/, "")
      .replace(/\/\d+(?=\/|$)/g, "/:n")
      .replace(/(labels|collaborators)\/[^/]+/, "$1/:name"),
  );
  return [...new Set(calls)].sort();
}

async function fakeFor(gitDir: string) {
  const github = await startGitHub({ basePath: "/api/v3" });
  onTestFinished(github.close);
  const repo = github.repo("acme/app", {
    gitDir,
    collaborators: { alice: "write", rita: "read", robot: "write" },
  });
  repo.open({ title: "Blocks", by: "alice" });
  repo.open({ title: "Fix login", body: "It fails.", by: "alice", labels: ["ready", "p1"] });
  repo.block(2, 1);
  repo.comment(2, "rita", "Me too.");
  for (let count = 0; count < 101; count++)
    repo.open({ title: `More ${count}`, by: "rita", labels: ["ready"] });
  const app = github.accounts.app("baton-bot", ["acme/app"], { issues: "write", pull_requests: "write" });
  return { github, repo, token: github.accounts.token("robot"), app };
}

it("the official SDK and Baton's client make the same calls to the fake, and see the same", async () => {
  needs("octokit");
  const git = await gitRepository();
  const theirs = await fakeFor(git.folder);
  const ours = await fakeFor(git.folder);
  const { withToken, asApp } = await sdk();

  const { rest, paginate } = withToken(theirs.token, theirs.github.url);
  const call = async (group: string, method: string, parameters: object = {}) => {
    const found = rest[group]?.[method];
    if (!found) throw new Error(`the SDK has no ${group}.${method}`);
    const { status, data } = await found({ owner: "acme", repo: "app", issue_number: 2, ...parameters });
    return { status, data };
  };
  const refused = (asked: Promise<unknown>) => expect(asked).rejects;

  const source = openGitHub(
    { repo: "acme/app", apiUrl: ours.github.url, labels: LABELS, auth: { kind: "token", env: "T" } },
    { T: ours.token },
  );

  // Lists, page by page, and one issue with all that is about it.
  const list = {
    owner: "acme",
    repo: "app",
    labels: "ready",
    state: "open",
    sort: "updated",
    direction: "desc",
    per_page: 100,
  };
  const listed = await paginate(rest.issues?.listForRepo, list);
  const poll = await source.poll(signal);
  const items = poll.kind === "items" ? poll.items : [];
  const plain = (title: unknown, url: unknown) => ({ title, path: URL.parse(String(url))?.pathname });
  expect(items.map(({ title, url }) => plain(title, url))).toEqual(
    listed.map(({ title, html_url }) => plain(title, html_url)),
  );
  const item = items.find(({ id }) => id === "2");
  const read = await source.read("2", signal);
  if (!item || !read) throw new Error("no item");
  expect((await call("issues", "get")).data).toMatchObject({
    title: read.title,
    body: read.text,
    user: { login: read.by.name },
    labels: read.labels.map((name) => ({ name })),
    issue_dependencies_summary: { blocked_by: read.blockedBy.length },
  });
  expect((await call("issues", "listEvents")).data).toMatchObject([
    { event: "labeled", label: { name: "ready" }, actor: { login: read.readyBy?.by.name } },
    { event: "labeled", label: { name: "p1" } },
  ]);
  expect((await call("issues", "listEventsForTimeline")).data).toMatchObject([
    { event: "labeled" },
    { event: "labeled" },
    { event: "commented", actor: { login: "rita" }, body: "Me too." },
  ]);
  expect((await call("issues", "listComments")).data).toMatchObject(
    read.comments.map(({ by, text }) => ({ user: { login: by.name }, body: text })),
  );
  expect((await call("issues", "listDependenciesBlockedBy")).data).toMatchObject([
    { number: 1, state: "open" },
  ]);
  for (const { by } of read.comments) {
    const { data } = await call("repos", "getCollaboratorPermissionLevel", { username: by.name });
    expect(["admin", "write"].includes((data as { permission: string }).permission)).toBe(by.trusted);
  }
  expect((await call("users", "getAuthenticated")).data).toMatchObject({ login: "robot" });

  // Marks, of which those that are not there cannot go.
  await source.markTaken(item, signal);
  await call("issues", "addLabels", { labels: ["agent-working"] });
  await call("issues", "removeLabel", { name: "ready" });
  expect(theirs.repo.issue(2).labels).toEqual(ours.repo.issue(2).labels);
  await refused(call("issues", "removeLabel", { name: "ready" })).toMatchObject({
    status: 404,
    message: expect.stringContaining("Label does not exist"),
  });
  await refused(call("issues", "addLabels", { labels: ["x".repeat(51)] })).toMatchObject({ status: 422 });

  // The one comment, also where there were two.
  await source.report(item, { marker: "job", text: "Working" }, signal);
  const { data: made } = await call("issues", "createComment", {
    body: ours.repo.issue(2).comments.at(-1)?.body,
  });
  const { id } = made as { id: number };
  await source.report(item, { marker: "job", text: "Done" }, signal);
  await call("issues", "updateComment", { comment_id: id, body: ours.repo.issue(2).comments.at(-1)?.body });
  const bodies = ({ repo }: typeof ours) => repo.issue(2).comments.map(({ body }) => body);
  expect(bodies(theirs)).toEqual(bodies(ours));
  ours.repo.comment(2, "robot", bodies(ours).at(-1) ?? "");
  await openGitHub(
    { repo: "acme/app", apiUrl: ours.github.url, labels: LABELS, auth: { kind: "token", env: "T" } },
    { T: ours.token },
  ).report(item, { marker: "job", text: "Done again" }, signal);
  await call("issues", "deleteComment", { comment_id: id });
  await refused(call("issues", "createComment", { body: "x".repeat(65_537) })).toMatchObject({ status: 422 });

  // A pull request, of which there is one.
  const wanted = {
    address: "/srv/app.git",
    branch: "work",
    baseBranch: "main",
    title: "Fix",
    body: "Fixed.",
    signal,
  };
  expect(await source.pullRequests("2")(wanted)).toHaveProperty("url");
  const pull = { title: "Fix", head: "work", base: "main", body: "Closes #2\n\nFixed." };
  expect((await call("pulls", "create", pull)).data).toMatchObject({
    number: ours.repo.pulls.keys().next().value,
  });
  expect([...theirs.repo.pulls.values()]).toEqual([...ours.repo.pulls.values()]);
  expect((await call("pulls", "list", { head: "acme:work", base: "main", state: "open" })).data).toHaveLength(
    1,
  );
  await refused(call("pulls", "create", pull)).toMatchObject({
    status: 422,
    message: expect.stringContaining("A pull request already exists"),
  });
  await refused(call("pulls", "create", { ...pull, head: "gone" })).toMatchObject({ status: 422 });

  // What is checked before anything starts.
  expect(await source.check(signal)).toEqual([]);
  expect((await call("repos", "get")).data).toMatchObject({
    full_name: "acme/app",
    permissions: { push: true },
  });
  expect((await call("issues", "getLabel", { name: "ready" })).data).toMatchObject({ name: "ready" });

  // An App, which signs for itself.
  const { privateKey, ...identity } = ours.app;
  const auth = { kind: "app", ...identity, privateKey: { env: "KEY" } } as const;
  const asOurs = openGitHub(
    { repo: "acme/app", apiUrl: ours.github.url, labels: LABELS, auth },
    { KEY: privateKey },
  );
  expect(await asOurs.check(signal)).toEqual([]);
  const app = asApp(theirs.app, theirs.github.url);
  expect((await app.octokit.rest.apps.getAuthenticated()).data).toMatchObject({ slug: "baton-bot" });
  const installed = await app.getInstallationOctokit(Number(theirs.app.installation));
  expect((await installed.rest.issues.get({ owner: "acme", repo: "app", issue_number: 2 })).data.title).toBe(
    "Fix login",
  );

  const called = callsOf(ours.github);
  expect(called.filter((each) => !callsOf(theirs.github).includes(each))).toEqual([]);
  expect(called).toHaveLength(18);
});

it("refs are made and moved over the API as git itself decides, and go without a condition", async () => {
  needs("octokit");
  const { folder, first, second, tree } = await gitRepository();
  const { github, token } = await fakeFor(folder);
  const { rest } = (await sdk()).withToken(token, github.url);
  const git = (method: string, parameters: object) => {
    const found = rest.git?.[method];
    if (!found) throw new Error(`the SDK has no git.${method}`);
    return found({ owner: "acme", repo: "app", ...parameters });
  };
  const claim = { ref: "refs/baton/claims/17", sha: first };
  const both = await Promise.allSettled([git("createRef", claim), git("createRef", claim)]);
  expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  await expect(git("createRef", claim)).rejects.toMatchObject({
    status: 422,
    message: expect.stringContaining("Reference already exists"),
  });
  const { data } = await git("createCommit", { message: "Beat", tree, parents: [first] });
  const { sha } = data as { sha: string };
  const ref = "baton/claims/17";
  await git("updateRef", { ref, sha });
  await expect(git("updateRef", { ref, sha: second })).rejects.toMatchObject({
    status: 422,
    message: expect.stringContaining("not a fast forward"),
  });
  expect((await git("getRef", { ref })).data).toMatchObject({ ref: claim.ref, object: { sha } });
  expect((await git("getCommit", { commit_sha: sha })).data).toMatchObject({
    message: "Beat",
    parents: [{ sha: first }],
  });
  expect((await git("listMatchingRefs", { ref: "baton/claims" })).data).toHaveLength(1);
  expect((await run("git", ["-C", folder, "rev-parse", claim.ref])).stdout.trim()).toBe(sha);
  await git("deleteRef", { ref });
  await expect(git("getRef", { ref })).rejects.toMatchObject({ status: 404 });
});
