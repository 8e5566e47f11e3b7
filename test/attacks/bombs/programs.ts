import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { z } from "zod";
import { accountFrom, accountShape, overlong, requestHandoff } from "../../../src/handoff/tools.ts";
import { decisionIn } from "../../../src/hooks/decision.ts";
import { send } from "../../../src/hooks/send.ts";
import { upTo } from "../../../src/mcp/tools.ts";
import { runCommand } from "../../../src/processes/command.ts";
import { run } from "../../../src/processes/run.ts";
import { startSimulator } from "../../../src/simulator/server.ts";
import { branchName } from "../../../src/workspace/branches/branch.ts";
import { bringAlong } from "../../../src/workspace/worktrees/bring-along.ts";
import { atMost, type Bomb, filled, folder, is, KB, MB } from "./bomb.ts";

const given = { goal: "g", progress: { done: [] }, current_state: "s" };
const submitted = (some: object) => z.object(accountShape).parse({ ...given, ...some });
const env = { PATH: process.env.PATH ?? "" };

/** What `baton hook` prints for so much input, and how it ends. */
function baton(event: string, input: Buffer): string {
  const program = join(import.meta.dirname, "../../../bin/baton.js");
  const state = folder();
  const { status, stdout } = spawnSync(process.execPath, [program, "hook", event], {
    input,
    env: { ...env, HOME: state, XDG_STATE_HOME: state },
  });
  return `${status} ${stdout.length}`;
}

export const PROGRAM_BOMBS: Bomb[] = [
  {
    aims: "size",
    name: "an account with a text of more than 100,000 characters",
    go: () => submitted({ goal: filled(100_010, "x") }),
    ends: /At most 100000 characters: say it shorter/,
  },
  {
    aims: "counts",
    name: "an account with 2,001 next steps",
    go: () => submitted({ next_steps: Array(2_001).fill("x") }),
    ends: /At most 2000 entries: put some of them together/,
  },
  {
    aims: "size",
    name: "an account of a million characters in all",
    go: () => overlong(accountFrom(submitted({ next_steps: Array(20).fill(filled(60 * KB, "x")) }))),
    ends: (result) => /and 1000000 is the most\. Say it shorter/.test(String(result)),
  },
  {
    aims: "size",
    name: "a reason for a handoff of 1 MB",
    go: () => requestHandoff(() => ({ ok: true, text: "" })).call({ reason: filled(MB, "x") }),
    ends: /At most 10000 characters/,
  },
  {
    aims: "size",
    name: "a question of 1 MB to an earlier session",
    go: () => upTo(20_000).parse(filled(MB, "x")),
    ends: /At most 20000 characters/,
  },
  {
    aims: "size",
    name: "35 MB on standard input, to a hook",
    go: () => baton("PostToolUse", Buffer.alloc(35 * MB, 0x20)),
    ends: is("0 0"),
  },
  {
    aims: "size",
    name: "a hook of the user's that prints 10 MB",
    go: async () => {
      const command = "head -c 10000000 /dev/zero | tr '\\0' x";
      return (await runCommand({ command, cwd: folder(), env, timeoutMs: 20_000 })).stdout.length;
    },
    ends: atMost(65 * KB),
  },
  {
    aims: "nesting",
    name: "a decision of a hook, 30,000 levels deep",
    go: () => decisionIn(`${'{"decision":'.repeat(30_000)}"abort"${"}".repeat(30_000)}`),
    ends: is(undefined),
  },
  {
    aims: "size",
    name: "a program that fails with 10 MB of words",
    go: async () =>
      (await run("sh", ["-c", "head -c 10000000 /dev/zero | tr '\\0' x >&2; exit 1"])).said.length,
    ends: atMost(4_001),
  },
  {
    aims: "size",
    name: "an answer of 5 MB to a webhook",
    go: async () => {
      const server = createServer((_request, response) => response.end(filled(5 * MB, "x"))).listen(
        0,
        "127.0.0.1",
      );
      await once(server, "listening");
      const address = server.address();
      const port = typeof address === "object" ? address?.port : undefined;
      const sending = {
        url: `http://127.0.0.1:${port}/`,
        method: "POST",
        headers: {},
        body: "",
        retries: 0,
        secrets: [],
      } as const;
      const limits = { timeoutMs: 20_000, signal: new AbortController().signal, sleep: async () => {} };
      try {
        return (await send({ ...sending, secrets: [] }, limits)).text.length;
      } finally {
        server.closeAllConnections();
        server.close();
      }
    },
    ends: atMost(16 * KB),
  },
  {
    aims: "size",
    name: "a request of 33 MB to the simulator",
    go: async () => {
      await using simulator = await startSimulator({
        name: "x",
        summary: "x",
        otherwise: () => ({ say: "x" }),
      });
      const answer = await fetch(`${simulator.url}/v1/messages`, {
        method: "POST",
        body: Buffer.alloc(33 * MB, 0x20),
      });
      return answer.status;
    },
    ends: is(413),
  },
  {
    aims: "size",
    name: "a .worktreeinclude of more than 64 kB",
    go: () => {
      const from = folder();
      writeFileSync(join(from, ".worktreeinclude"), filled(70 * KB, "*a*a*a*a*a\n"));
      return bringAlong(from, folder(), []);
    },
    ends: /\.worktreeinclude is larger than 64 kB\. Name folders/,
  },
  {
    aims: "regex",
    name: "a work item of 1 MB of dashes",
    go: () => {
      const workItem = `a${filled(MB, "-")}b`;
      const job = { agent: "coder", jobId: "job-1", date: new Date(0), workItem };
      return Buffer.byteLength(branchName("{workItem}", job));
    },
    ends: atMost(200),
  },
];
