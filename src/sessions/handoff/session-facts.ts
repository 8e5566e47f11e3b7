import { transcriptEvents } from "../../agents/claude/own/transcript.ts";
import { models } from "../../agents/claude/own/window.ts";
import { type ContextState, initialContext, track } from "../../context/tracker.ts";
import { FactCollector } from "../../handoff/collect.ts";
import { type Facts, noFacts } from "../../handoff/facts.ts";
import type { Redact } from "../../secrets/redact.ts";
import { isOwnWords } from "../record/own-words.ts";
import type { OwnSession } from "../record/session.ts";

/** What the transcript of a session tells. */
export interface Told {
  facts: Facts;
  context: ContextState;
}

interface ReadOptions {
  /** What the sessions before it knew. */
  earlier?: Facts | undefined;
  /** What `baton watch` sends orchestrators. */
  checkMessage?: string | undefined;
  /** Before facts are taken from a text: a password among names would no longer be known for one. */
  redact?: Redact;
}

/** Reads a session's transcript from its beginning. */
export async function readSession(
  { cwd, transcript }: Pick<OwnSession, "cwd" | "transcript">,
  { earlier = noFacts(""), checkMessage, redact = (value) => value }: ReadOptions = {},
): Promise<Told> {
  const isOurs = (text: string) => isOwnWords(text, checkMessage);
  const collector = new FactCollector(cwd, without(isOurs, earlier));
  let context = initialContext({});
  if (transcript !== null) {
    for await (const event of transcriptEvents(transcript)) {
      context = track(context, event, models);
      const isSaid = event.type === "user" || event.type === "queued";
      if (!isSaid || !isOurs(event.text)) collector.add(redact(event));
    }
  }
  return { facts: withRequest(collector.facts()), context };
}

/** Facts that are kept may hold what was not known to be Baton's then. */
function without(isOurs: (text: string) => boolean, facts: Facts): Facts {
  const messages = facts.messages.filter((message) => !isOurs(message));
  return { ...facts, request: isOurs(facts.request) ? "" : facts.request, messages };
}

/** A person's first words are the request. */
function withRequest(facts: Facts): Facts {
  if (facts.request !== "") return facts;
  const [request = "", ...messages] = facts.messages;
  return { ...facts, request, messages };
}

/** True where neither a person nor the agent has said or done anything that could be handed over. */
export function isEmpty({ request, files, commands, todos }: Facts): boolean {
  return request === "" && files.length + commands.length + todos.length === 0;
}
