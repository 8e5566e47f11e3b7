import { readFile } from "node:fs/promises";
import { agentFor } from "../../agents/registry.ts";
import { repositoryAccess } from "../../agents/repository.ts";
import { agentNamed } from "../../config/agent-named.ts";
import type { AgentConfig } from "../../config/config.ts";
import { type SubagentStatus, subagentStatus } from "../../sessions/handoff/subagents.ts";
import { chainOf } from "../../sessions/record/chain.ts";
import type { OwnSession } from "../../sessions/record/session.ts";
import { framed, newTag } from "../../util/frame.ts";
import { listDocuments } from "../handoffs/documents.ts";
import { recordedDocument } from "../handoffs/recorded.ts";
import { passGate } from "../trust/gate.ts";
import { callingSession, foldersOf, type Served } from "./served.ts";

const LONGEST_ANSWER_MS = 2 * 60_000;

/** How a subagent stands that the calling session started, or one whose work it continues. */
export async function subagentHere(served: Served, id: string): Promise<SubagentStatus | undefined> {
  return subagentStatus(served.registry, await callingSession(served), id);
}

/** `none`: the calling session continues from nobody. `unknown`: the session that was named is none of this project. */
export type EarlierAnswer =
  | { status: "answered"; session: string; answer: string }
  | { status: "none" | "unknown" };

/** Asks the session that the calling one continues from, or another one of the project, one question. */
export async function askEarlier(
  served: Served,
  question: string,
  { named, signal }: { named: string | undefined; signal: AbortSignal },
): Promise<EarlierAnswer> {
  const calling = await callingSession(served);
  const session = named ?? calling.parent;
  if (session === null) return { status: "none" };
  if (named !== undefined && !(await isOfProject(served, calling, named))) return { status: "unknown" };
  const agent = await trustedAgent(served);
  const { executable } = agent;
  const env = { ...served.env, ...agent.env };
  // The agent's program is only needed here, and is slow to load.
  const { askPredecessor } = await import("../../sessions/handoff/ask-earlier.ts");
  const answer = await askPredecessor(session, question, {
    env,
    readsRepository: async (cwd) => (await repositoryAccess(await agentFor(agent), cwd)).reads,
    ...(executable !== undefined && { executable }),
    timeoutMs: LONGEST_ANSWER_MS,
    signal: AbortSignal.any([signal, served.signal]),
  });
  const source = `the answer of session ${session}`;
  return {
    status: "answered",
    session,
    answer: framed({ kind: "answer", source, text: answer, tag: newTag() }),
  };
}

/** What came with a repository starts nothing here either before the user has looked at it. */
async function trustedAgent(served: Served): Promise<AgentConfig> {
  const config = await served.config();
  return passGate(config, agentNamed(config));
}

/** Sessions of other projects have nothing to say here, whichever a document names. */
async function isOfProject(served: Served, calling: OwnSession, named: string): Promise<boolean> {
  const [, ...before] = await chainOf(served.registry, calling);
  if (before.some(({ id }) => id === named)) return true;
  const found = await served.registry.find(named);
  if (found?.project === served.root) return true;
  const documents = await listDocuments(await foldersOf(served), served.registry);
  for (const { path } of documents.filter(({ session }) => session === named)) {
    const text = await readFile(path, "utf8").catch(() => "");
    const recorded = await recordedDocument({ path, text }, served);
    if (recorded?.record.session === named) return true;
  }
  return false;
}
