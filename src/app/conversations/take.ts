import type { ChatConfig } from "../../config/chat-config.ts";
import type { AgentConfig, Config } from "../../config/config.ts";
import { recordable } from "../../config/recordable.ts";
import type { ChatKind, ChatPerson, Place } from "../../connectors/connector.ts";
import type { ConversationOrigin } from "../../job/events.ts";
import { newJobId } from "../../jobs/new-id.ts";
import { chatEventDone } from "../../store/conversations/chat-events.ts";
import {
  type Conversation,
  changeConversation,
  conversationAt,
  type Db,
  putConversation,
} from "../../store/conversations/conversations.ts";
import { queueMessage } from "../../store/messages.ts";
import { createQueuedJobIn } from "../../store/queue.ts";
import type { Store } from "../../store/store.ts";
import { given } from "../../util/given.ts";

/** People wait for it: it comes before what nobody waits for. */
export const PEOPLE_WAIT = { priority: 1 };

interface Said {
  /** Of the event that says it. */
  event: string;
  place: Place;
  service: ChatKind;
  /** Who says it. */
  by: ChatPerson;
  /** As the agent hears it. */
  text: string;
  /** With what a new conversation is told besides. */
  opening: string;
  steer: ChatConfig["steer"];
}

/**
 * What a person wrote goes to the job of its conversation, or begins one. All of it in one step: an event that was dealt with
 * stays so, and one that was not is dealt with by whoever comes next. Undefined where it was.
 */
export async function takeMessage(
  store: Store,
  { config, agent }: { config: Pick<Config, "path">; agent: AgentConfig },
  said: Said,
  now: Date,
): Promise<{ job: string; isNew: boolean } | undefined> {
  return store.db.transaction().execute(async (db) => {
    if (!(await chatEventDone(store, said.event, now, db))) return undefined;
    const at = now.toISOString();
    const known = await conversationAt(store, said.place.key, db);
    if (known && known.job !== null && known.endedAt === null && known.agent === agent.name) {
      const message = { text: said.text, moment: said.steer, at };
      if ((await queueMessage({ ...store, db }, known.job, message)) !== undefined) {
        await changeConversation(store, known.key, { lastAt: at }, db);
        return { job: known.job, isNew: false };
      }
    }
    if (known) await setAside(store, known, now, db);
    const job = newJobId();
    await createQueuedJobIn(
      ...([store, db, job] as const),
      {
        type: "job:created",
        agent: agent.name,
        prompt: said.opening,
        ...(config.path !== undefined && { configPath: config.path }),
        attended: true,
        conversation: originOf(said),
        agentConfig: recordable(agent),
      },
      PEOPLE_WAIT,
      now,
    );
    const { place, service } = said;
    const at0 = { toldSeq: 0, lastAt: at, endedAt: null, live: [], status: null, session: null };
    await putConversation(
      store,
      { key: place.key, kind: "talk", place, service, agent: agent.name, job, ...at0 },
      db,
    );
    return { job, isNew: true };
  });
}

function originOf({ service, by, place: { channel, url } }: Said): ConversationOrigin {
  return { service, channel, by: { id: by.id, name: by.name }, ...given({ url }) };
}

/** Its place is another's from now on. Its job still has to come to its end. */
async function setAside(store: Store, known: Conversation, now: Date, db: Db): Promise<void> {
  if (known.job === null) return;
  const endedAt = known.endedAt ?? now.toISOString();
  await putConversation(
    store,
    { ...known, key: `${known.key}#${known.job}`, endedAt, live: [], status: null },
    db,
  );
}
