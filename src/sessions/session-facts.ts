import { type ContextState, initialContext, track } from "../context/tracker.ts";
import { TranscriptReader } from "../context/transcript.ts";
import { FactCollector } from "../handoff/collect.ts";
import { type Facts, noFacts } from "../handoff/facts.ts";
import type { OwnSession } from "./session.ts";

/** What the transcript of a session tells. */
export interface Told {
  facts: Facts;
  context: ContextState;
}

/** Reads a session's transcript from its beginning, on top of what the sessions before it knew. */
export async function readSession(
  { cwd, transcript }: Pick<OwnSession, "cwd" | "transcript">,
  earlier: Facts = noFacts(""),
): Promise<Told> {
  const collector = new FactCollector(cwd, earlier);
  let context = initialContext({});
  if (transcript !== null) {
    for await (const event of new TranscriptReader(transcript).read()) {
      context = track(context, event);
      if (event.type !== "user" || !isOurs(event.text)) collector.add(event);
    }
  }
  return { facts: withRequest(collector.facts()), context };
}

/** What Baton itself typed in a person's place: nobody's request, and no constraint. */
function isOurs(text: string): boolean {
  return /^\s*(?:<handoff-(?:request|context)>|Go on with the work from the handoff document )/.test(text);
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
