import { askFork } from "../../agents/claude/own/question.ts";
import { findTranscript, folderOf } from "../../agents/claude/own/transcript.ts";
import { ownEnvironment } from "../../agents/own-environment.ts";
import { redactor } from "../../secrets/redact.ts";
import { messageOf } from "../../util/errors.ts";
import { framed, newTag } from "../../util/frame.ts";
import { readSession } from "./session-facts.ts";

export interface PredecessorOptions {
  env: Record<string, string>;
  /** The user's own program in place of the bundled one. */
  executable?: string;
  /** Whether the program may act on what came with the repository of this folder. */
  readsRepository: (cwd: string) => Promise<boolean>;
  timeoutMs: number;
  signal: AbortSignal;
}

/** Why an earlier session gave no answer, and what to do instead. */
class NoAnswerError extends Error {
  override readonly name = "NoAnswerError";
}

/** Asks a session that was here before one question. It is not woken: a fork of it answers, and is gone. */
export async function askPredecessor(
  session: string,
  question: string,
  { env, executable, readsRepository, timeoutMs, signal }: PredecessorOptions,
): Promise<string> {
  const transcript = await findTranscript(env, session);
  if (transcript === undefined) {
    throw new NoAnswerError(`The transcript of session ${session} is gone, so it cannot be asked any more.`);
  }
  const cwd = await folderOf(transcript);
  if (cwd === undefined) throw new NoAnswerError(`${transcript} does not say where the session ran.`);
  const { model } = (await readSession({ cwd, transcript })).context;
  const limit = AbortSignal.timeout(timeoutMs);
  const elsewhere = `Look into its transcript instead: ${transcript}`;
  try {
    const outcome = await askFork({
      sessionId: session,
      cwd,
      text: asked(question),
      env: ownEnvironment(env),
      readsRepository: await readsRepository(cwd),
      ...(model !== undefined && { model }),
      ...(executable !== undefined && { executable }),
      signal: AbortSignal.any([signal, limit]),
    });
    if (outcome.kind === "completed") return redactor(env)(outcome.text);
    const why = "message" in outcome ? outcome.message : outcome.kind;
    throw new NoAnswerError(`Session ${session} gave no answer: ${why}. ${elsewhere}`);
  } catch (error) {
    if (error instanceof NoAnswerError) throw error;
    const said = messageOf(error);
    const why = limit.aborted ? `it took longer than ${Math.round(timeoutMs / 1000)} s` : said;
    throw new NoAnswerError(`Session ${session} gave no answer: ${why}. ${elsewhere}`);
  }
}

function asked(question: string): string {
  return [
    "Your work was handed over, and the session that continues it has a question. Answer it from this conversation",
    "alone, exactly and shortly. You have no tools. Where you do not know, say so.",
    "",
    framed({
      kind: "question",
      source: "the question of the session that continues your work",
      text: question,
      tag: newTag(),
    }),
  ].join("\n");
}
