import { setTimeout as sleep } from "node:timers/promises";
import type { PermissionAnswer } from "../../agents/permission.ts";
import type { OpenAsk } from "../../job/asks/asks.ts";
import type { Job } from "../../job/job.ts";
import { giveAnswer } from "../../store/asks.ts";
import { getJob } from "../../store/jobs.ts";
import type { Store } from "../../store/store.ts";
import { counted } from "../../util/figures.ts";
import { openStoreOfJobs, type Project } from "../project.ts";
import { refuseInsideAgent } from "../trust/person.ts";
import { UsageError } from "../usage-error.ts";
import { letContinue } from "./continue.ts";
import { expireAsks } from "./expire.ts";
import { openAsk, overBy } from "./open-ask.ts";
import { toldLater } from "./told-later.ts";

/** What a person says to an ask. `digest`: of what they were shown; an ask that is about anything else is not answered. */
export type Reply = (
  | { answer: "yes"; always?: boolean }
  | { answer: "no"; because?: string }
  | { answer: "text"; texts: readonly string[] }
) & { digest?: string; by?: string };

/** What came of an answer, as every face shows it: its keys are a promise to users. */
export interface Answered {
  ask: string;
  job: string;
  /** `delivered`: the agent has it. `continues`: the fleet continues the job with it. `resume`: whoever resumes the job does. */
  state: "delivered" | "continues" | "resume";
}

/** Answers an ask for a person: once, however many try. Refused where an agent tries to. */
export async function answerAsk(project: Project, id: string, reply: Reply): Promise<Answered> {
  await refuseInsideAgent("answer what an agent asks");
  return answerForPerson(project, id, reply);
}

/** The same, for whoever has made sure already that it is a person who answers. */
export async function answerForPerson(project: Project, id: string, reply: Reply): Promise<Answered> {
  await using store = await openStoreOfJobs(project);
  const now = new Date();
  await expireAsks(project, store, now);
  const { job, ask } = await openAsk(store, id);
  if (reply.digest !== undefined && reply.digest !== ask.digest) {
    throw new UsageError(
      `${id} is about another call than the one that you were shown. See it with: baton inbox`,
    );
  }
  const answer = { ...answerTo(ask, reply), ...(reply.by !== undefined && { by: reply.by }) };
  const standing = await giveAnswer(
    store,
    { job: job.id, ask: id },
    { answer, told: toldLater(ask, answer), now },
  );
  if (standing.state !== "taken") throw overBy(id, standing);
  const state = await became(project, store, job, { ask: id, isWaited: standing.isWaited });
  return { ask: id, job: job.id, state };
}

function answerTo(ask: OpenAsk, reply: Reply): PermissionAnswer {
  const { questions } = ask;
  switch (reply.answer) {
    case "no":
      return { answer: "no", ...(reply.because && { because: reply.because }) };
    case "yes":
      if (questions)
        throw new UsageError(`${ask.ask} is a question. Answer it with: baton answer ${ask.ask} "…"`);
      return { answer: reply.always ? "always" : "once" };
    case "text":
      if (!questions)
        throw new UsageError(
          `${ask.ask} asks for a yes or a no. Say so with: baton approve ${ask.ask}, or: baton deny ${ask.ask} "why"`,
        );
      if (reply.texts.length !== questions.length)
        throw new UsageError(
          `${ask.ask} has ${counted(questions.length, "question")}, and you gave ${counted(reply.texts.length, "answer")}. Give each in quotes, in their order.`,
        );
      return {
        answer: "said",
        texts: questions.map((each, index) => chosenOf(each, reply.texts[index] ?? "")),
      };
  }
}

/** An option may be named by its number, unless that is what an option says. Of several, each. */
function chosenOf({ options, several }: NonNullable<OpenAsk["questions"]>[number], text: string): string {
  const words = text.trim();
  if (words === "") throw new UsageError("An answer is empty. Say something, or the number of an option.");
  const labelOf = (name: string) =>
    options.find(({ label }) => label === name)?.label ??
    (/^\d+$/.test(name) ? options[Number(name) - 1]?.label : undefined);
  const labels = several ? words.split(",").map((name) => labelOf(name.trim())) : [labelOf(words)];
  return labels.includes(undefined) ? words : labels.join(", ");
}

const POLL_MS = 50;
const PATIENCE_MS = 10_000;

/** Waits until the process that runs the job has recorded it. One that dies meanwhile leaves it to whoever continues the job. */
async function became(
  project: Project,
  store: Store,
  { id }: Job,
  { ask, isWaited }: { ask: string; isWaited: boolean },
): Promise<Answered["state"]> {
  const deadline = performance.now() + PATIENCE_MS;
  while (isWaited && performance.now() < deadline) {
    const { asks = [] } = await getJob(store, id);
    if (!asks.some((each) => each.ask === ask)) return "delivered";
    await sleep(POLL_MS);
  }
  return (await letContinue(project, store, await getJob(store, id))) ? "continues" : "resume";
}
