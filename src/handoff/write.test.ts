import { describe, expect, it } from "vitest";
import { type Account, emptyAccount } from "./account.ts";
import { check } from "./checks.ts";
import { type Facts, noFacts, type WorkspaceFacts } from "./facts.ts";
import { parseAccount, renderAccount } from "./markdown.ts";
import { type Answer, writeAccount } from "./write.ts";

const good: Account = {
  ...emptyAccount(),
  goal: "Ship it",
  progress: { done: ["The parser"], inProgress: [], pending: ["The docs"] },
  currentState: "The parser is written.",
  nextSteps: ["Write the docs"],
};
const nothing = (final = false): Answer => ({ kind: "nothing", why: "the answer was empty", final });
const says = (account: Partial<Account> = {}): Answer => ({
  kind: "account",
  account: { ...good, ...account },
});

interface Setting {
  answers?: Answer[];
  facts?: Partial<Facts>;
  earlier?: Account;
  most?: number;
  extra?: string[];
  git?: WorkspaceFacts["git"];
}

async function write({ answers, facts: known, earlier, most = 1_000, extra = [], git = null }: Setting) {
  const facts = { ...noFacts("Ship it"), ...known };
  const workspace = { git, missing: [] };
  const asked: (readonly string[])[] = [];
  const judge = async (account: Account) => {
    const budget = { most, takes: JSON.stringify(account).length / 4 };
    return { account, workspace, checks: check({ account, facts, workspace, budget, extra, secrets: 0 }) };
  };
  const ask = async (shortfalls: readonly string[]) => {
    asked.push(shortfalls);
    return answers?.[asked.length - 1] ?? nothing(true);
  };
  const written = await writeAccount({
    from: answers ? { ask } : { why: "the window overflowed" },
    facts,
    extra,
    judge,
    ...(earlier && { earlier }),
  });
  const passes = (await judge(written.account)).checks.every(({ ok }) => ok);
  return { ...written, asked, passes };
}

describe("an account", () => {
  it("that passes is written after one question", async () => {
    expect(await write({ answers: [says()] })).toMatchObject({
      outcome: "written",
      asked: [[]],
      account: good,
    });
  });

  it("that falls short is asked for once more, naming exactly that", async () => {
    const { outcome, asked } = await write({ answers: [says({ goal: "" }), says()] });
    expect(outcome).toBe("written");
    expect(asked).toEqual([[], ['the section "Goal" is missing, empty or a placeholder']]);
  });

  it.each<[string, Partial<Account>]>([
    [
      "is empty",
      { goal: "", currentState: "", nextSteps: [], progress: { done: [], inProgress: [], pending: [] } },
    ],
    ["is full of placeholders", { goal: "TBD", currentState: "…", nextSteps: ["todo"] }],
  ])("whose second try %s is completed from facts until it passes", async (_, account) => {
    const { outcome, passes, account: mended } = await write({ answers: [says(account), says(account)] });
    expect(outcome).toBe("mended");
    expect(passes).toBe(true);
    expect(mended.goal).toBe("Ship it (from facts)");
  });

  it("is completed from the first try when the second brings nothing", async () => {
    const { outcome, account } = await write({ answers: [says({ nextSteps: [] }), nothing()] });
    expect(outcome).toBe("mended");
    expect(account.progress).toEqual(good.progress);
  });

  it("is cut until it is within a budget, however much of it there is", async () => {
    const items = (what: string) =>
      Array.from({ length: 200 }, (_, index) => `${what} ${index} ${"and so on ".repeat(40)}`);
    const inflated = says({
      criticalContext: items("Context"),
      openIssues: items("Issue"),
      links: items("Link"),
      decisions: items("Decision").map((decision, index) => ({ decision, reason: `Reason ${index}` })),
    });
    const { outcome, passes } = await write({ answers: [inflated, inflated] });
    expect(outcome).toBe("mended");
    expect(passes).toBe(true);
  });

  it("has a place for a section of the template that the agent left out", async () => {
    const { asked, account } = await write({ answers: [says(), says()], extra: ["Deployment"] });
    expect(asked[1]).toEqual(['the section "Deployment" is missing, empty or a placeholder']);
    expect(account.extra).toEqual([{ title: "Deployment", text: "Not known (from facts)" }]);
  });
});

describe("without an account", () => {
  it("twice, the facts make one, and the reason says why", async () => {
    const written = await write({ answers: [nothing(), nothing()] });
    expect(written).toMatchObject({ outcome: "from-facts", reason: "the answer was empty", passes: true });
    expect(written.asked).toEqual([[], ["the answer was empty"]]);
  });

  it("it is not asked for again where that would be of no use", async () => {
    expect((await write({ answers: [nothing(true)] })).asked).toHaveLength(1);
    expect(await write({})).toMatchObject({
      outcome: "from-facts",
      reason: "the window overflowed",
      asked: [],
    });
  });

  it("what the one before it knew is carried on", async () => {
    const earlier: Account = {
      ...good,
      decisions: [{ decision: "YAML", reason: "people edit it" }],
      criticalContext: ["Port 8080", "The last error:\nboom"],
      filesChanged: [
        { path: "made-by-a-command.txt", change: "generated" },
        { path: "a.ts", change: "the parser" },
      ],
    };
    const facts: Partial<Facts> = {
      lastError: "bang",
      files: [
        { path: "a.ts", change: "edited", read: true },
        { path: "b.ts", change: "created", read: false },
      ],
    };
    const { account } = await write({ earlier, facts });
    expect(account.decisions).toEqual(earlier.decisions);
    expect(account.progress.done).toContain("The parser");
    expect(account.criticalContext).toEqual(["Port 8080"]);
    expect(account.filesChanged).toEqual([
      { path: "a.ts", change: "the parser" },
      { path: "b.ts", change: "created" },
      { path: "made-by-a-command.txt", change: "generated" },
    ]);
  });

  it("files that only git knows of are named, and a failing test run is an open issue", async () => {
    const facts: Partial<Facts> = {
      files: [{ path: "a.ts", change: "edited", read: true }],
      lastTest: { command: "npm test", ok: false, output: "" },
    };
    const git = { changes: ["?? made.txt", " M a.ts"], commits: [] };
    const { account } = await write({ facts, git });
    expect(account.filesChanged).toEqual([
      { path: "a.ts", change: "edited" },
      { path: "made.txt", change: "new (from facts)" },
    ]);
    expect(account.openIssues).toEqual(["The last test run failed: npm test (from facts)"]);
    expect(account.currentState).toContain("2 files uncommitted");
  });

  it("a plan of many lines is the goal, quoted, and of a long one its beginning and its end", async () => {
    const plan = "# The plan\n\n## Step one\n\nWrite it.";
    const { account } = await write({ facts: { request: plan } });
    expect(account.goal).toBe("> # The plan\n> \n> ## Step one\n> \n> Write it.");
    const long = `${plan}\n${"Some more words.\n".repeat(400)}The last line.`;
    const { goal } = (await write({ facts: { request: long } })).account;
    expect(goal).toMatch(/^> # The plan\n[\s\S]*\[… 5,\d+ characters left out …\][\s\S]*> The last line\.$/);
    expect(goal.length).toBeLessThan(2_000);
    expect((await write({ facts: { request: long }, earlier: { ...good, goal } })).account.goal).toBe(goal);
    const asBefore = { ...good, goal: long };
    expect((await write({ facts: { request: long }, earlier: asBefore })).account.goal).toBe(goal);
  });

  it("the last words of a session are quoted where they have lines of their own, and shortened where they are long", async () => {
    const state = async (lastText: string) => (await write({ facts: { lastText } })).account.currentState;
    expect(await state("Done so far.")).toContain("The session's last words: Done so far.");
    expect(await state("## Summary\n\nDone.")).toContain("last words:\n\n> ## Summary\n> \n> Done.\n");
    const long = await state(`Begin. ${"word ".repeat(2_000)}End.`);
    expect(long.length).toBeLessThan(2_600);
    expect(long).toMatch(/Begin\.[\s\S]*characters left out[\s\S]*End\./);
  });

  it("ten times in a row, it stays as it was the second time", async () => {
    const facts: Partial<Facts> = {
      constraints: ["Never touch it."],
      done: ["The parser"],
      lastError: "bang",
      lastTest: { command: "npm test", ok: false, output: "" },
      files: [{ path: "a.ts", change: "edited", read: true }],
      todos: [
        { id: "1", text: "Docs", status: "in_progress" },
        { id: "2", text: "Tag", status: "pending" },
        { id: "3", text: "Parser", status: "completed" },
      ],
    };
    const git = { changes: ["?? made.txt"], commits: ["abc1234 Add it"], head: "abc1234", branch: "main" };
    const texts: string[] = [];
    let earlier: Account | undefined = { ...good, decisions: [{ decision: "YAML", reason: "" }] };
    for (let handoff = 1; handoff <= 10; handoff++) {
      const { account } = await write({ facts, git, earlier });
      texts.push(renderAccount(account));
      earlier = parseAccount(texts.at(-1) ?? "");
    }
    expect(new Set(texts.slice(1)).size).toBe(1);
    expect(texts[9]?.match(/\(as the handoff before said\)/g)).toHaveLength(2);
  });
});

describe("what an account leaves empty though the facts know better", () => {
  const facts: Partial<Facts> = {
    subagents: [
      { id: "abc123", task: "Look around", state: "running", startedAt: "2026-01-21T14:15:20.000Z" },
      { id: "def456", task: "Count", state: "completed" },
    ],
  };
  const git = { changes: ["?? made.txt"], commits: [] };

  it("is filled in and marked, without another question", async () => {
    const { account, asked } = await write({ answers: [says()], facts, git });
    expect(asked).toHaveLength(1);
    expect(account.filesChanged).toEqual([{ path: "made.txt", change: "new (from facts)" }]);
    expect(account.activeSubagents).toEqual([
      "abc123: Look around (started 2026-01-21 14:15 UTC) (from facts)",
    ]);
  });

  it("is left as the agent put it where it says something", async () => {
    const own = {
      filesChanged: [{ path: "a.ts", change: "x" }],
      activeSubagents: ["`abc123` looks around"],
    };
    expect((await write({ answers: [says(own)], facts, git })).account).toMatchObject(own);
  });
});
