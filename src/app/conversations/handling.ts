import { agentNamed } from "../../config/agent-named.ts";
import type { Connector } from "../../connectors/connector.ts";
import { readBounded } from "../../files/bounded-file.ts";
import { chatEventDone } from "../../store/conversations/chat-events.ts";
import { conversationAt } from "../../store/conversations/conversations.ts";
import { putInOutbox } from "../../store/conversations/outbox.ts";
import { getJob } from "../../store/jobs.ts";
import type { FleetProject } from "../fleet/projects.ts";
import { keepFiles } from "./attachments.ts";
import type { Attending } from "./attending.ts";
import type { Speaker } from "./bots.ts";
import { obey, pressed, record, wakesFirst } from "./commands.ts";
import { COMMANDS, type Command, commandIn, contextIn } from "./decide.ts";
import { type Earlier, heardFrom, openingWith } from "./heard-words.ts";
import { newNonce } from "./status-message.ts";
import type { Fresh, StoredEvent } from "./stored-event.ts";
import { takeMessage } from "./take.ts";
import { endExpired } from "./upkeep.ts";
import { pressIn } from "./words.ts";

export interface Handling {
  id: string;
  event: StoredEvent;
  /** Undefined after a restart. */
  fresh: Fresh | undefined;
  where: FleetProject;
  speaker: Speaker;
  connector: Connector | undefined;
  attending: Attending | undefined;
  now: Date;
  signal: AbortSignal;
}

/** What a person asks for beside their messages. It does not wait for what they wrote before. */
export function askedIn({ kind, name, text, isMention }: StoredEvent): Command | undefined {
  switch (kind) {
    case "message": {
      const command = commandIn(text, isMention);
      return command?.name === "skill" && command.text !== "" ? undefined : command;
    }
    case "command": {
      const known = COMMANDS.find((command) => command.name === name.replace(/^\//, "").toLowerCase());
      return known && known.name !== "skill" ? { name: known.name, text } : undefined;
    }
    case "stop":
      return { name: "stop", text: "" };
    case "pressed":
      return undefined;
  }
}

/** Does what was asked, once, and answers there where it was asked. False where it is to be asked again, once a session is back. */
export async function handleCommand(command: Command, handling: Handling): Promise<boolean> {
  if (command.name === "handoff" && (await wakesFirst(handling.event, handling))) return false;
  await answerOnce(handling, () => obey(command, handling.event, handling));
  return true;
}

export async function handlePress(handling: Handling): Promise<void> {
  const press = pressIn(handling.event.name);
  await answerOnce(handling, async () => press && pressed(press, handling.event, handling));
}

/** What comes of it is on record with that it is done. Asked twice, after a crash in between, it is answered once. */
async function answerOnce(
  { id, event, fresh, where: { store }, now }: Handling,
  answer: () => Promise<string | undefined>,
): Promise<void> {
  const text = await answer();
  const isAnswered = text !== undefined && fresh?.answer ? await answered(fresh.answer, text) : false;
  await store.db.transaction().execute(async (db) => {
    if (!(await chatEventDone(store, id, now, db)) || isAnswered || text === undefined) return;
    const row = {
      job: null,
      conversation: event.place.key,
      source: `event:${id}`,
      nonce: newNonce(),
      isLive: false,
    };
    const { place, service, agent } = event;
    await putInOutbox(store, { ...row, said: { text, to: { place, service, agent } } }, now, db);
  });
}

async function answered(answer: (text: string) => Promise<void>, text: string): Promise<boolean> {
  try {
    await answer(text);
    return true;
  } catch {
    // It is posted instead.
    return false;
  }
}

/** A message for the agent. Undefined where it was dealt with already. */
export async function handleMessage(
  handling: Handling,
): Promise<{ job: string; isNew: boolean } | undefined> {
  const { id, event, where, speaker, fresh, attending, signal, now } = handling;
  const { place, by, service } = event;
  // Whoever sweeps may not have come to it yet.
  const expired = await endExpired(where.store, { kind: service, speaker, key: place.key }, now);
  if (expired.length > 0) attending?.end();
  const agent = agentNamed(where.config, speaker.agent);
  const attached = await keepFiles(where.project.root, {
    ...{ conversation: place.key, event: id, files: fresh?.files, named: event.files, signal },
    attachments: speaker.service.attachments,
  });
  await attending?.bringFiles();
  const text = [heardFrom(by, wordsIn(event), place), attached].filter(Boolean).join("\n\n");
  const opening = openingWith(text, await before(handling));
  const { steer } = speaker.chat;
  const taken = await takeMessage(
    where.store,
    { config: where.config, agent },
    { event: id, place, service, by, text, opening, steer },
    now,
  );
  if (taken?.isNew) record(event, handling, { what: "startJob", target: taken.job });
  return taken;
}

/** `!skill deploy staging` is a wish in the words of a wish. */
function wordsIn({ kind, name, text, isMention }: StoredEvent): string {
  const skill =
    kind === "command" ? (name.replace(/^\//, "") === "skill" ? text : undefined) : skillIn(text, isMention);
  if (skill === undefined) return kind === "command" ? `${name} ${text}`.trim() : text;
  const [which = "", ...rest] = skill.trim().split(/\s+/);
  return `Use the skill "${which}"${rest.length > 0 ? `: ${rest.join(" ")}` : "."}`;
}

function skillIn(text: string, isMention: boolean): string | undefined {
  const command = commandIn(text, isMention);
  return command?.name === "skill" ? command.text : undefined;
}

const MOST_HISTORY = 20;
const LARGEST_DOCUMENT = 200_000;

/** What a conversation begins from: what was written before it, and how the one ended that was there. */
async function before({
  event: { kind, place },
  where: { store },
  speaker,
  connector,
  signal,
}: Handling): Promise<{ earlier: Earlier[]; document?: string }> {
  const known = await conversationAt(store, place.key);
  if (known && known.job !== null && known.endedAt === null) return { earlier: [] };
  const most = known ? MOST_HISTORY : contextIn(speaker, place);
  // The message that begins it is the last of them. A command is none of them.
  const beginning = kind === "message" ? 1 : 0;
  const history =
    connector && most > 0 ? await connector.history(place, most + beginning, signal).catch(() => []) : [];
  const earlier = history.slice(0, history.length - beginning);
  const document = known?.job
    ? documentOf((await getJob(store, known.job)).handoffs.at(-1)?.documentPath)
    : undefined;
  return { earlier, ...(document !== undefined && { document }) };
}

function documentOf(path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  try {
    return readBounded(path, LARGEST_DOCUMENT).toString("utf8");
  } catch {
    // It was deleted: the messages of the thread are left.
    return undefined;
  }
}
