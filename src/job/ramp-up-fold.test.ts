import { describe, expect, it } from "vitest";
import type { JobEvent, JournalEvent } from "./events.ts";
import { apply } from "./fold.ts";
import { emptyJob, type Job } from "./job.ts";
import type { RampUp } from "./ramp-up.ts";
import { EMPTY_TRAIL, resultOf, trailOfNext, withCommand, withRead, withWritten } from "./trail.ts";

const START = Date.UTC(2026, 0, 21, 10);

/** A job of which a test tells what its sessions do, one second after the other. */
class Told {
  job: Job = emptyJob("job-1");
  #seq = 0;
  #calls = 0;
  #session = "";
  #sent = 0;
  #now = START;

  constructor() {
    this.add({ type: "job:created", agent: "coder", prompt: "Do it", agentConfig: {} });
    this.add({ type: "job:started", pid: 7, marker: "mark-7" });
    this.add({ type: "session:starting", session: "s1", ordinal: 1, mode: "fresh" });
    this.#begins("s1", "request");
  }

  add(event: JobEvent, seconds = 1): this {
    this.#now += seconds * 1_000;
    const at = new Date(this.#now).toISOString();
    const entry: JournalEvent = { seq: ++this.#seq, at, job: "job-1", attempt: 1, ...event };
    // What is stored in between is picked up as it was.
    this.job = apply(JSON.parse(JSON.stringify(this.job)), entry);
    return this;
  }

  #begins(session: string, kind: "request" | "continuation"): void {
    this.#session = session;
    this.#sent = 10_000;
    this.add({ type: "message:sent", session, kind, text: "Go." });
  }

  handsOff(): this {
    const number = this.job.handoffs.length + 1;
    const [old, next] = [`s${number}`, `s${number + 1}`];
    const whose = { agentName: "coder", jobId: "job-1", oldSessionId: old, handoffNumber: number };
    const figures = { usagePercent: 0.9, inputTokens: 180_000, contextWindow: 200_000 };
    this.add({ type: "context:handoff:start", ...whose, ...figures, trigger: "threshold" });
    this.add({
      type: "handoff:stored",
      handoffNumber: number,
      session: old,
      source: "agent",
      outcome: "written",
      checks: [],
      documentPath: `/handoffs/${number}.md`,
      durationMs: 1_200,
    });
    this.add({ type: "session:ended", session: old, reason: "handoff" });
    this.add({ type: "session:starting", session: next, ordinal: number + 1, mode: "continuation" });
    this.add({ type: "context:handoff:complete", ...whose, newSessionId: next });
    this.#begins(next, "continuation");
    return this;
  }

  /** One response with one call: first the call, then the response, then the result, as programs tell it. */
  calls(call: Call, { grows = 1_000, costUsd = 0.5, usage = true }: Turn = {}): this {
    const session = this.#session;
    const id = `c${++this.#calls}`;
    const { ok = true, result, isDenied, subagent, ...start } = call;
    const owner = subagent === undefined ? {} : { subagent };
    this.add({ type: "tool:start", session, id, name: "Tool", ...start, ...owner });
    this.responds({ grows, costUsd, usage });
    if (isDenied) this.add({ type: "tool:denied", session, id, name: "Tool", message: "No." });
    const digest = result === undefined ? {} : { digest: result };
    return this.add({ type: "tool:end", session, id, ok, output: "", ...digest, ...owner });
  }

  responds({ grows = 1_000, costUsd = 0.5, usage = true }: Turn = {}): this {
    const used = { input: 1, cacheRead: this.#sent - 1, cacheWrite: 0, output: 100 };
    this.add({
      type: "response",
      session: this.#session,
      model: "m",
      ...(usage && { usage: used }),
      costUsd,
      context: { tokens: this.#sent, window: 200_000, percent: 1 },
    });
    this.#sent += grows;
    return this;
  }

  rampUp(number = 1): RampUp | undefined {
    return this.job.handoffs.find((handoff) => handoff.number === number)?.rampUp;
  }
}

interface Turn {
  grows?: number;
  costUsd?: number;
  usage?: boolean;
}

type Call = Pick<Extract<JobEvent, { type: "tool:start" }>, "does" | "summary" | "path"> & {
  digest?: string;
  removed?: string[];
  added?: string[];
  ok?: boolean;
  /** The digest of what a command came to. */
  result?: string;
  isDenied?: true;
  subagent?: string;
};

const read = (path: string): Call => ({ does: "read", summary: path, digest: `f:${path}` });
const run = (command: string, result = "fine"): Call => ({
  does: "command",
  summary: command,
  digest: `c:${command.replaceAll(" ", "_")}`,
  result,
});
const edit = (path: string, removed: string, added: string): Call => ({
  does: "write",
  summary: path,
  digest: `f:${path}`,
  removed: [`${path}:${removed}`],
  added: [`${path}:${added}`],
});
const none = { count: 0, names: [] };

describe("until the first new work of a session that takes over", () => {
  it("counts turns, what they added to the window, time and cost", () => {
    const told = new Told().calls(read("a.ts")).calls(run("npm test")).handsOff();
    expect(told.rampUp()).toMatchObject({ state: "measuring", turns: 0, tokens: 0, ms: 0 });
    told.calls(read("a.ts"), { grows: 4_000 }).calls(read("b.ts"), { grows: 2_000, costUsd: 0.25 });
    expect(told.rampUp()).toMatchObject({ state: "measuring", turns: 2, tokens: 4_000, costUsd: 0.75 });
    told.calls(edit("b.ts", "one", "two"), { grows: 50_000 }).calls(run("npm run build"));
    expect(told.rampUp()).toEqual({
      state: "reached",
      turns: 2,
      tokens: 6_000,
      // Two turns of three seconds each, and the second in which the edit began.
      ms: 7_000,
      costUsd: 0.75,
      readAgain: { count: 1, names: ["a.ts"] },
      repeated: none,
      redone: none,
    });
  });

  it("takes a command for new that no session has run, and none that failed only now", () => {
    const told = new Told().calls(run("npm test")).handsOff();
    told.calls(run("npm test", "broken")).calls(run("npm test -- a"));
    expect(told.rampUp()).toMatchObject({ state: "reached", turns: 1, repeated: none });
    told.handsOff().calls(run("npm test", "broken")).calls(run("git push"));
    expect(told.rampUp(2)).toMatchObject({ turns: 1, repeated: { names: ["npm test"] } });
  });

  it("is at once where the first call is new work", () => {
    const told = new Told().handsOff().calls(run("npm test"));
    expect(told.rampUp()).toMatchObject({ state: "reached", turns: 0, tokens: 0, costUsd: 0, ms: 1_000 });
  });

  it("does not come with an edit that failed, a call that was denied or one that only puts back what was there", () => {
    const told = new Told().calls(edit("a.ts", "one", "two")).handsOff();
    told.calls({ ...edit("b.ts", "x", "y"), ok: false });
    told.calls({ ...run("rm -rf build"), isDenied: true, ok: false });
    told.calls(edit("a.ts", "two", "one"));
    expect(told.rampUp()).toMatchObject({ state: "measuring", turns: 3, redone: { names: ["a.ts"] } });
    told.calls(edit("a.ts", "one", "three"));
    expect(told.rampUp()).toMatchObject({ state: "reached", turns: 3, redone: { count: 1 } });
  });

  it("comes with an edit of a subagent, and not with what one reads and runs", () => {
    const told = new Told().calls(read("a.ts")).handsOff();
    told.calls({ ...read("a.ts"), subagent: "x" }).calls({ ...run("ls"), subagent: "x" });
    expect(told.rampUp()).toMatchObject({ state: "measuring", turns: 2, readAgain: none });
    told.calls({ ...edit("a.ts", "one", "two"), subagent: "x" });
    expect(told.rampUp()).toMatchObject({ state: "reached", turns: 2 });
  });

  it("leaves out the time in which a person or a limit was waited for", () => {
    const told = new Told().handsOff().responds();
    told.add({ type: "limit:waiting", session: "s2", until: 0, message: "Wait." });
    told.add({ type: "limit:over", session: "s2" }, 3_600);
    told.add({ type: "person:awaited", session: "s2" });
    told.add({ type: "message:sent", session: "s2", kind: "said", text: "Go on." }, 600);
    told.calls(run("npm test"));
    expect(told.rampUp()).toMatchObject({ state: "reached", turns: 1, ms: 4_000 });
  });

  it("does not know tokens or cost where the program does not tell", () => {
    const told = new Told().handsOff().responds({ usage: false }).responds().calls(run("npm test"));
    expect(told.rampUp()).toMatchObject({ turns: 2, tokens: null, costUsd: 1 });
    const unpriced = new Told().handsOff();
    unpriced.add({ type: "subagent:response", session: "s2", subagent: "x", model: "m" });
    unpriced.responds().calls(run("npm test"));
    expect(unpriced.rampUp()).toMatchObject({ turns: 1, tokens: 1_000, costUsd: null });
  });

  it("never comes in a session that ends before, unless that session is resumed", () => {
    const told = new Told().handsOff().responds();
    told.add({ type: "session:ended", session: "s2", reason: "interrupted" });
    expect(told.rampUp()).toMatchObject({ state: "ended", turns: 1 });
    told.add({ type: "session:starting", session: "s2", ordinal: 2, mode: "resumed" }).calls(run("npm test"));
    expect(told.rampUp()).toMatchObject({ state: "reached", turns: 1 });
    told.add({ type: "session:ended", session: "s2", reason: "completed" });
    expect(told.rampUp()).toMatchObject({ state: "reached" });
  });
});

describe("what a session does again", () => {
  it("is a file that the session right before it had read, once, and not after it wrote it itself", () => {
    const told = new Told().calls(read("old.ts")).handsOff();
    told.calls(read("a.ts")).calls(read("b.ts")).calls(read("c.ts")).handsOff();
    told.calls(read("a.ts")).calls(read("a.ts")).calls(read("old.ts"));
    told
      .calls(edit("b.ts", "one", "two"))
      .calls(read("b.ts"))
      .calls(read("c.ts"));
    expect(told.rampUp(1)?.readAgain).toEqual(none);
    expect(told.rampUp(2)?.readAgain).toEqual({ count: 2, names: ["a.ts", "c.ts"] });
  });

  it("is named from the folder of the job, at its full length", () => {
    const deep = `/project/tree/${"deep/".repeat(30)}a.ts`;
    const file: Call = { ...read(deep), summary: `${deep.slice(0, 119)}…`, path: deep };
    const told = new Told();
    told.add({ type: "workspace:ready", strategy: "static", path: "/project/tree" });
    told.calls(file).handsOff().calls(file);
    expect(told.rampUp()?.readAgain.names).toEqual([`${"deep/".repeat(30)}a.ts`]);
  });

  it("is no document of a handoff", () => {
    const told = new Told().handsOff().calls(read("/handoffs/1.md")).handsOff().calls(read("/handoffs/1.md"));
    expect(told.rampUp(2)?.readAgain).toEqual(none);
  });

  it("is a command with the same result, as long as the session has written nothing", () => {
    const told = new Told().calls(run("npm test")).calls(run("git log", "one")).calls(run("make")).handsOff();
    told.calls(run("npm test")).calls(run("npm test")).calls(run("git log", "two"));
    told.calls(edit("a.ts", "one", "two")).calls(run("make"));
    expect(told.rampUp()).toMatchObject({ turns: 3, repeated: { count: 1, names: ["npm test"] } });
  });

  it("is an edit that puts back what an earlier session took out, or had put in", () => {
    const told = new Told()
      .calls(edit("a.ts", "one", "two"))
      .handsOff()
      .responds()
      .handsOff();
    told.calls(edit("b.ts", "two", "one")).calls(edit("a.ts", "two", "one"));
    expect(told.rampUp(2)?.redone).toEqual({ count: 1, names: ["a.ts"] });
    told.handsOff().calls(edit("a.ts", "one", "two"));
    expect(told.rampUp(3)?.redone).toEqual({ count: 1, names: ["a.ts"] });
    // There and back within one session is a detour of its own.
    told
      .handsOff()
      .calls(edit("a.ts", "two", "six"))
      .calls(edit("a.ts", "six", "two"));
    expect(told.rampUp(4)?.redone).toEqual({ count: 0, names: [] });
  });

  it("counts among the first calls, and later belongs to the work", () => {
    const told = new Told().calls(read("a.ts")).calls(run("npm test")).handsOff();
    for (let call = 0; call < 40; call++) told.calls({ does: "other", summary: "search" });
    told.calls(read("a.ts")).calls(run("npm test"));
    expect(told.rampUp()).toMatchObject({ turns: 42, readAgain: none, repeated: none });
  });

  it("is counted in full, and its first are named", () => {
    const told = new Told();
    const files = Array.from({ length: 15 }, (_, index) => `${index}.ts`);
    for (const file of files) told.calls(read(file));
    told.handsOff();
    for (const file of files) told.calls(read(file));
    expect(told.rampUp()?.readAgain).toEqual({ count: 15, names: files.slice(0, 10) });
  });
});

describe("what a job keeps for it", () => {
  it("is bounded, however much its sessions do", () => {
    let trail = EMPTY_TRAIL;
    for (let session = 1; session <= 3; session++) {
      trail = trailOfNext(trail, `s${session}`);
      for (let call = 1; call <= 400; call++) {
        const own = withCommand(withRead(trail.own, `f${call}`), `c${session}-${call}`, "fine");
        trail = {
          ...trail,
          own: withWritten(own, `f${call}`, [`r${session}-${call}`, `a${session}-${call}`]),
        };
      }
      for (const kept of [...Object.values(trail.own), ...Object.values(trail.before)])
        expect(kept.length).toBeLessThanOrEqual(300);
    }
    expect(trail.own.read.at(-1)).toBe("f400");
    expect(resultOf(trail.before, "c2-400")).toBe("fine");
    expect(resultOf(trail.before, "c1-400")).toBeUndefined();
  });

  it("goes when the job is completed, and stays for one that can be resumed", () => {
    const told = new Told().calls(read("a.ts"));
    told.add({ type: "job:failed", error: "It broke." });
    expect(told.job.trail?.own.read).toEqual(["f:a.ts"]);
    expect(told.add({ type: "job:completed", result: "Done" }).job.trail).toBeNull();
  });

  it("is not there in journals and snapshots of earlier versions, and then nothing is known", () => {
    const before = new Told().calls({ does: "read", summary: "a.ts" }).handsOff().calls(run("npm test"));
    expect(before.job.trail).toBeNull();
    expect(before.rampUp()).toBeUndefined();
    const snapshot = new Told();
    delete snapshot.job.trail;
    snapshot.calls(read("a.ts")).handsOff().calls(read("a.ts"));
    expect(snapshot.rampUp()).toBeUndefined();
  });
});
