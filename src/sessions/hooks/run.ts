import type { HookAnswer } from "../../agents/claude/own/hook-answer.ts";
import type { HookInput } from "../../agents/claude/own/hook-input.ts";
import { compactsAt, refusesAt } from "../../agents/claude/own/window.ts";
import type { Config } from "../../config/config.ts";
import { isOnItsWay } from "../record/handoff-questions.ts";
import { asked, placeOf } from "../record/handoff-state.ts";
import type { Registry } from "../record/registry.ts";
import type { OwnSession } from "../record/session.ts";
import { figureOf } from "../watch/figure.ts";
import { type HookDecision, hookDecision } from "./decision.ts";
import type { HookSettings } from "./settings.ts";

/** What a hook needs beside the registry. What is slow to load is only asked for where there is no way around it. */
export interface HookWorld {
  registry: Registry;
  env: Readonly<Record<string, string | undefined>>;
  /** The folder that the project's handoffs and configuration are in. */
  projectOf: (cwd: string) => Promise<string>;
  configOf: (project: string) => Promise<Config>;
  /** The process of the agent program that this hook was started by. */
  program: () => Promise<OwnSession["process"]>;
  /** Goes on after a stored handoff, in a process of its own. */
  startCycle: (session: string) => Promise<void>;
  /** Writes a session's document without it: in a process of its own, or now. */
  writeFromFacts: (session: string, when: "beside" | "now") => Promise<void>;
  /** What a person typed, where a command of the plugin goes by another name too: with its full name. */
  withFullName: (prompt: string) => Promise<string>;
  /** Of the skill for orchestrators. */
  orchestratorSkill: () => Promise<string>;
  /** The hook takes longer than usual, up to this many milliseconds from now. */
  mayTake: (ms: number) => void;
  /** Puts aside what went wrong and stopped nothing. */
  log: (message: string) => Promise<void>;
}

/** Does what one hook of one session is for, and returns what is to be said, if anything. */
export async function runHook(given: HookInput, world: HookWorld): Promise<HookAnswer | undefined> {
  if (given.event === "start") {
    const { startSession } = await import("./start-record.ts");
    return startSession(given, world);
  }
  const input =
    given.event === "prompt" ? { ...given, prompt: await world.withFullName(given.prompt) } : given;
  if (input.event === "stop") await settled(input, world.registry);
  let decision: HookDecision | undefined;
  const record = await world.registry.update(input.session, async (known) => {
    const before = known ?? (await firstSeen(input, world));
    const settings = await settingsOf(input, before, world);
    const figured = figureOf({ ...before, transcript: input.transcript }, settings.configuredWindow);
    const window = figured.reading?.context.window?.tokens;
    decision = hookDecision(input, before, {
      now: new Date().toISOString(),
      settings,
      figured,
      compactsAt: window === undefined ? undefined : compactsAt(window, world.env),
      refusesAt: window === undefined ? undefined : refusesAt(window, world.env),
    });
    return decision.request ? withRequest(decision.record, decision.request, world) : decision.record;
  });
  if (decision?.cycle) await world.startCycle(input.session);
  if (decision?.facts) await world.writeFromFacts(input.session, decision.facts);
  // In a pane, the next session cannot begin before this one has stopped.
  if (decision?.cycle && record?.pane === null) return { toPerson: await heardAtOnce(record.id, world) };
  if (!decision?.sayings.length) return undefined;
  const [{ answerOf }, { newTag }] = await Promise.all([import("./texts.ts"), import("../../util/frame.ts")]);
  return answerOf(decision.sayings, record?.figure ?? null, newTag());
}

async function settled(
  { session, transcript, lastWords }: Extract<HookInput, { event: "stop" }>,
  registry: Registry,
): Promise<void> {
  if (transcript === null || lastWords === "") return;
  const { lastWordsWritten } = await import("../record/transcript-end.ts");
  await lastWordsWritten(transcript, (await registry.find(session))?.reading?.offset ?? 0, lastWords);
}

async function heardAtOnce(session: string, { registry, mayTake }: HookWorld): Promise<string> {
  const { NEWS_MS, newsOf } = await import("./news.ts");
  mayTake(NEWS_MS + MARGIN_MS);
  return newsOf(session, registry);
}

/** For what a hook does beside waiting. */
const MARGIN_MS = 2_000;

async function withRequest(
  record: OwnSession,
  request: NonNullable<HookDecision["request"]>,
  { registry }: HookWorld,
): Promise<OwnSession> {
  if (isOnItsWay(record.handoff) && !record.handoff.wentOn) return record;
  const parent = record.parent === null ? undefined : await registry.find(record.parent);
  const { number, previous } = placeOf(record.handoff, parent?.handoff);
  const { seen, ...wanted } = request;
  const place = { number, previous, ...wanted };
  const handoff = asked(place, new Date().toISOString(), { seen, before: record.handoff });
  return { ...record, handoff };
}

/** The plugin was installed, or its hooks failed, after the session had begun. */
async function firstSeen(input: HookInput, world: HookWorld): Promise<OwnSession> {
  const { recordOf } = await import("./start-record.ts");
  return recordOf(undefined, input, world);
}

async function settingsOf(input: HookInput, record: OwnSession, world: HookWorld): Promise<HookSettings> {
  const { settings, project } = record;
  if (settings && !(input.event === "prompt" && (await isOutdated(settings, project)))) return settings;
  const { readSettings } = await import("./start-record.ts");
  return readSettings(project, world);
}

/** A person's prompt is the moment to see that the configuration has changed: it comes seldom. */
async function isOutdated({ stamp }: HookSettings, project: string): Promise<boolean> {
  const { stampOf } = await import("./settings.ts");
  return stamp !== stampOf(project);
}
