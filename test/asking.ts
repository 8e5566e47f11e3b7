import { existsSync } from "node:fs";
import { join } from "node:path";
import type { InboxRow } from "../src/fleet/inbox/row.ts";
import type { JournalEvent } from "../src/job/events.ts";
import type { Scenario, ToolCall } from "../src/simulator/scenario.ts";
import { type Baton, baton, bundle, shown, type TestProject } from "./harness.ts";

export const RUN = ["run", "coder", "Write the files.", "--json"];
export const ASKS = "permission_mode: default\npermission_prompts: ask";
export const PAUSED = 3;

export const bash = (command: string): ToolCall => ({ tool: "Bash", input: { command } });

/** A model that makes these calls, one after the other, whoever asks it. */
export function making(...calls: (ToolCall | ToolCall[])[]): Scenario {
  return { name: "asks", summary: "makes calls", steps: calls.map((call) => ({ call })) };
}

type Made = Extract<JournalEvent, { type: "ask:made" }>;

/** The ask of this number, as soon as it is made. */
export async function asked(running: Baton, number = 1): Promise<Made> {
  const isIt = (event: JournalEvent): event is Made =>
    event.type === "ask:made" && event.ask.endsWith(`-${number}`);
  await running.event(isIt);
  const made = running.events.find(isIt);
  if (!made) throw new Error(`no ask ${number}`);
  return made;
}

/** In another terminal, where a person types, whoever runs the tests. */
export function type(project: TestProject, ...words: string[]) {
  return baton({ ...project, program: join(bundle, "scripted.js") }, words);
}

/** What waits for a person, as `baton inbox --json` prints it. */
export async function inboxRows(project: TestProject): Promise<InboxRow[]> {
  const { stdout } = await type(project, "inbox", "--json");
  return stdout.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));
}

export async function resume(project: TestProject) {
  const { id } = await shown(project);
  return baton(project, ["resume", id, "--json"]);
}

export const isThere = ({ folder }: TestProject, name: string) => existsSync(join(folder, name));
