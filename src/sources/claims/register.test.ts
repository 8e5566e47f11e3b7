import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { fleets } from "../../../test/claiming.ts";
import { startGitHub } from "../../../test/github-server.ts";
import { startLinear } from "../../../test/linear-server.ts";
import { git } from "../../../test/repository.ts";
import { openGitHub } from "../github/open.ts";
import { openLinear } from "../linear/open.ts";
import { type ClaimComments, CommentRegister } from "./comment-register.ts";
import { GitRegister } from "./git-register.ts";
import type { ClaimRecord } from "./record.ts";
import { type Register, RegisterUnreachableError } from "./register.ts";

const SOURCE = "github:acme/app";
const LABELS = { ready: "ready", inProgress: "agent-working", failed: "failed" };
const TOKEN = { kind: "token", env: "TOKEN" } as const;
const LAG_MS = 40;
const WAIT_MS = 2.5 * LAG_MS;

/** A replica tells it late, and git may be slow. */
const seen = <T>(look: () => T) => expect.poll(look, { timeout: 30_000 });

/** As many registers of one place as there are fleets. */
type Subject = () => Promise<{ registers: Register[]; items?: [string, string] } & AsyncDisposable>;

/** A tracker whose reads are up to so long behind, each by as much as chance wants. */
class Board implements ClaimComments {
  readonly place = "a board";
  readonly takesIds = false;
  readonly form = "hidden";
  readonly #comments = new Map<
    string,
    { number: number; item: string; texts: { at: number; text: string | undefined }[] }
  >();
  readonly #lagMs: number;

  constructor(lagMs: number) {
    this.#lagMs = lagMs;
  }

  async list(item: string) {
    await this.#travel();
    const moment = performance.now() - Math.random() * this.#lagMs;
    const seen = [...this.#comments].flatMap(([id, comment]) => {
      const text = comment.texts.findLast(({ at }) => at <= moment)?.text;
      return comment.item === item && text !== undefined ? [{ id, text, number: comment.number }] : [];
    });
    await this.#travel();
    return seen.sort((a, b) => a.number - b.number);
  }

  async create(item: string, text: string) {
    const id = randomUUID();
    await this.#travel();
    this.#comments.set(id, { number: this.#comments.size, item, texts: [{ at: performance.now(), text }] });
    await this.#travel();
  }

  async edit(_item: string, id: string, text: string) {
    await this.#travel();
    const texts = this.#comments.get(id)?.texts;
    if (texts?.at(-1)?.text === undefined) return false;
    texts.push({ at: performance.now(), text });
    return true;
  }

  async remove(_item: string, id: string) {
    this.#comments.get(id)?.texts.push({ at: performance.now(), text: undefined });
  }

  #travel() {
    return new Promise((resolve) => setTimeout(resolve, Math.random() * 10));
  }
}

const subjects: Record<string, Subject> = {
  "git refs": async () => {
    const made = await fleets(2);
    const registers = made.all.map(({ register }) => register);
    return { registers, [Symbol.asyncDispose]: () => made[Symbol.asyncDispose]() };
  },
  comments: async () => {
    const comments = new Board(LAG_MS);
    const register = () => new CommentRegister({ comments, source: SOURCE, waitMs: WAIT_MS });
    return { registers: [register(), register()], [Symbol.asyncDispose]: async () => {} };
  },
  "comments on GitHub": async () => {
    const github = await startGitHub({
      lagMs: LAG_MS,
      latencyMs: () => Math.random() * 10,
      contentPerMinute: 1_000,
    });
    const repo = github.repo("acme/app", { collaborators: { robot: "write", other: "write" } });
    for (const title of ["One", "Two"]) repo.open({ title, by: "robot" });
    const registers = ["robot", "other"].map((login) => {
      const config = { repo: "acme/app", apiUrl: github.url, labels: LABELS, auth: TOKEN };
      const comments = openGitHub(config, { TOKEN: github.accounts.token(login) }).claimComments();
      return new CommentRegister({ comments, source: SOURCE, waitMs: WAIT_MS });
    });
    // A replica may not have it yet.
    await seen(() => registers[0]?.read("1").catch(() => "not there")).toBeUndefined();
    await new Promise((resolve) => setTimeout(resolve, LAG_MS));
    return { registers, [Symbol.asyncDispose]: () => github.close() };
  },
  "comments in Linear": async () => {
    const linear = await startLinear();
    const { workspace } = linear;
    const team = workspace.team("ENG");
    const registers = ["robot", "other"].map((name) => {
      const token = linear.key(workspace.user(name));
      const config = { team: "ENG", states: {}, apiUrl: linear.url, labels: LABELS, auth: TOKEN };
      const comments = openLinear(config, { TOKEN: token }).claimComments();
      return new CommentRegister({ comments, source: SOURCE, waitMs: 0 });
    });
    for (const title of ["One", "Two"]) workspace.issue(team, title);
    return { registers, items: ["ENG-1", "ENG-2"], [Symbol.asyncDispose]: () => linear.close() };
  },
};

let jobs = 0;

function record(epoch: number, more: Partial<ClaimRecord> = {}): ClaimRecord {
  const job = `job-${++jobs}`;
  return {
    ...{ source: SOURCE, item: "1", epoch, state: "claimed", job, agent: "coder", holder: job, attempts: 0 },
    ...{ leaseMs: 600_000, at: "2026-05-01T10:00:00.000Z", nonce: randomUUID(), ...more },
  };
}

describe.each(Object.entries(subjects))("a register of %s", (_name, make) => {
  it("lets one of many take an item at once, over nothing and over what ended, and all see who", async () => {
    await using made = await make();
    const [one, other] = made.registers as [Register, Register];
    const [item, another] = made.items ?? ["1", "2"];
    let over = await one.read(item);
    expect(over).toBeUndefined();
    for (const epoch of [1, 2]) {
      const wanted = [1, 2, 3, 4, 5, 6].map(() => record(epoch, { item }));
      const taken = await Promise.all(
        wanted.map((each, index) => (index % 2 ? one : other).take(each, over)),
      );
      const [winner, ...others] = taken.filter((standing) => standing !== undefined);
      expect(others).toEqual([]);
      await seen(() => one.read(item)).toEqual(winner);
      await seen(() => other.readAll([item, another])).toEqual(new Map([[item, winner]]));
      if (!winner?.record) throw new Error("nobody won");
      expect(wanted).toContainEqual(winner.record);
      const register = wanted.indexOf(winner.record) % 2 ? one : other;
      const done = record(epoch, { ...winner.record, state: "released", nonce: randomUUID() });
      over = await register.change(done, winner);
      expect(over).toMatchObject({ record: done });
      await seen(() => other.read(item)).toEqual(over);
      await seen(() => one.read(item)).toEqual(over);
    }
  });

  it("keeps whoever renews a claim and whoever takes it over from both having it", async () => {
    await using made = await make();
    const [one, other] = made.registers as [Register, Register];
    const [item] = made.items ?? ["1"];
    const first = record(1, { item });
    let mine = await one.take(first, undefined);
    for (let round = 2; round < 6 && mine?.record; round++) {
      const renewal = { ...mine.record, nonce: randomUUID() };
      const before = mine;
      await seen(() => other.read(item)).toEqual(before);
      const later = new Promise((resolve) => setTimeout(resolve, (round - 2) * 30));
      const [renewed, taken]: unknown[] = await Promise.all([
        later.then(() => one.change(renewal, before)),
        other.take(record(round, { item }), before),
      ]);
      expect(renewed !== undefined && taken !== undefined).toBe(false);
      mine = renewed as typeof mine;
    }
  });

  it("knows a claim that was taken over, and takes away only what it was told", async () => {
    await using made = await make();
    const [one, other] = made.registers as [Register, Register];
    const [item] = made.items ?? ["1"];
    const first = record(1, { item });
    const mine = await one.take(first, undefined);
    if (!mine) throw new Error("not taken");
    await seen(() => other.read(item)).toEqual(mine);
    const theirs = await other.take(record(2, { item }), mine);
    if (!theirs) throw new Error("not taken over");
    await seen(() => one.change({ ...first, nonce: randomUUID() }, mine)).toBeUndefined();
    expect(await one.take(record(2, { item }), mine)).toBeUndefined();
    expect(await other.remove(item, mine)).toBe(false);
    await seen(() => other.read(item)).toEqual(theirs);
    expect(await other.remove(item, theirs)).toBe(true);
    await seen(async () => (await one.read(item))?.version).not.toBe(theirs.version);
  });
});

it("does not take comments of strangers for claims, nor those that were copied from another issue", async () => {
  await using github = await startGitHub();
  const repo = github.repo("acme/app", { collaborators: { robot: "write", rita: "read" } });
  for (const title of ["One", "Two"]) repo.open({ title, by: "robot" });
  const as = (login: string) =>
    openGitHub(
      { repo: "acme/app", apiUrl: github.url, labels: LABELS, auth: TOKEN },
      { TOKEN: github.accounts.token(login) },
    );
  const [ours, hers] = [as("robot").claimComments(), as("rita").claimComments()];
  const register = new CommentRegister({ comments: ours, source: SOURCE, waitMs: 0 });
  await new CommentRegister({ comments: hers, source: SOURCE, waitMs: 0 }).take(record(9), undefined);
  expect(await register.read("1")).toBeUndefined();
  expect(await register.take(record(1), undefined)).toMatchObject({ record: { epoch: 1 } });
  const [claim] = await ours.list("1");
  await ours.create("2", `> ${claim?.text}`, undefined);
  expect(await register.read("2")).toBeUndefined();
  // An answer that is lost is not a claim that is.
  github.fault({ method: "POST", path: /comments/, how: "reset-after" });
  expect(await register.take(record(1, { item: "2" }), undefined)).toMatchObject({ record: { epoch: 1 } });
});

it("says why a remote takes no claims", async () => {
  await using made = await fleets(1);
  const [fleet] = made.all;
  if (!fleet) throw new Error("no fleet");
  await git(made.remote, "config", "receive.hideRefs", "refs/baton");
  const refused = fleet.register.take(record(1), undefined);
  await expect(refused).rejects.toBeInstanceOf(RegisterUnreachableError);
  await expect(refused).rejects.toThrow("deny updating a hidden ref");
  const nowhere = new GitRegister({ root: fleet.folder, remote: "elsewhere", source: SOURCE });
  await expect(nowhere.take(record(1), undefined)).rejects.toThrow("elsewhere");
});
