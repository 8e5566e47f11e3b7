import { version } from "../../version.ts";
import { within } from "../process/within.ts";
import { EndedError, type Fields, RefusedError, type Rpc } from "./rpc.ts";

const PROTOCOL = 1;

/** How long a program may take to answer: npx may have to fetch it first. */
const LIMIT_MS = 120_000;

/** It runs and says nothing: it is taken for one that has ended. */
export class SilentProgramError extends EndedError {}

/** It speaks something else. */
export class NoAgentError extends Error {
  readonly problem: string;
  readonly fix: string;

  constructor({ problem, fix }: { problem: string; fix: string }) {
    super(`${problem}. ${fix}`);
    this.problem = problem;
    this.fix = fix;
  }
}

/** Nothing of Baton's files or terminals is offered: the program works in the folder itself. */
const client = () => ({
  protocolVersion: PROTOCOL,
  clientInfo: { name: "baton", title: "Baton", version: version() },
  clientCapabilities: {
    fs: { readTextFile: false, writeTextFile: false },
    terminal: false,
    session: { compaction: {} },
  },
});

/** What the program says of itself, or in words why it is not one that speaks the protocol. */
export async function hello(rpc: Pick<Rpc, "ask">, name: string, limitMs = LIMIT_MS): Promise<Fields> {
  const answer = rpc.ask("initialize", client());
  const isOver = answer.then(
    () => {},
    () => {},
  );
  if (!(await within(limitMs, isOver)))
    throw new SilentProgramError(
      `${name} has not answered within ${limitMs / 1_000} seconds. ${whatItMustBe(name)}`,
    );
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    const problem = `${name} does not speak the Agent Client Protocol (it says: ${error.message})`;
    throw new NoAgentError({ problem, fix: whatItMustBe(name) });
  }
}

const whatItMustBe = (name: string) =>
  `See whether command starts it as an agent of that protocol: many programs need an option for it, such as ${name} --acp.`;
