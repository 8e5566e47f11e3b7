import { randomUUID } from "node:crypto";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { OwnSession } from "../src/sessions/record/session.ts";
import type { Scenario } from "../src/simulator/scenario.ts";
import { aHandoff, type In } from "./a-handoff.ts";
import { baton, type TestProject, testProject } from "./harness.ts";
import { needs } from "./needs.ts";
import {
  anOwnSession,
  claudeReady,
  eventually,
  identity,
  openClaude,
  registryOf,
  type Screen,
  Tmux,
} from "./panes.ts";

/** A document names the session that wrote it. */
export function documentOf(session: string): string {
  const head = `---\nnumber: 1\nsession: ${session}\n---\n\n`;
  return `${head}# Handoff 1\n\n## Goal\n\nPaint the shed green.\n\n## Next Steps\n\n- Buy paint.\n`;
}

/** Whoever is told to go on goes on; all else is talk. */
export const talk: Scenario = {
  name: "talk",
  summary: "answers",
  rules: [
    {
      when: ({ kind, last }) => kind === "main" && last.includes("Continue the work"),
      reply: { say: "I buy paint." },
    },
  ],
  otherwise: { say: "The shed is old." },
};

export interface HandedOff {
  project: TestProject;
  tmux: Tmux;
  screen: Screen;
  session: OwnSession;
}

interface HandedOffOptions {
  /** Keys of the agent in baton.yaml. */
  agent?: string;
  env?: Record<string, string>;
  prepare?: (project: TestProject) => Promise<unknown>;
  /** How its record is different. */
  record?: Partial<OwnSession>;
}

/** A real session in a pane, without hooks, that has said something and stored a handoff. */
export async function handedOff(options: HandedOffOptions = {}): Promise<HandedOff> {
  needs("tmux");
  const { agent = "", env = {}, prepare, record } = options;
  const project = await testProject({ scenario: talk, agent, env });
  await claudeReady(project);
  await prepare?.(project);
  const tmux = await Tmux.start(project);
  const id = randomUUID();
  const screen = await openClaude(project, tmux, ["--session-id", id]);
  await screen.says("What about the shed?");
  await screen.shows("The shed is old.");
  const session = anOwnSession(project, id, {
    pane: screen.pane,
    process: await identity(await screen.pid()),
    transcript: await transcriptOf(project, id),
    handoff: await aStoredHandoff(project, id),
    ...record,
  });
  await registryOf(project).update(id, () => session);
  return { project, tmux, screen, session };
}

export async function aStoredHandoff({ folder }: TestProject, session: string): Promise<In<"stored">> {
  const documentPath = join(folder, ".baton", "handoffs", "handoff-2026-11-15-120000.md");
  await mkdir(join(documentPath, ".."), { recursive: true });
  await writeFile(documentPath, documentOf(session));
  return aHandoff("stored", { at: new Date().toISOString(), documentPath });
}

export async function transcriptOf({ env }: TestProject, id: string): Promise<string> {
  const projects = join(env.CLAUDE_CONFIG_DIR ?? "", "projects");
  return eventually("the transcript", async () => {
    for (const folder of await readdir(projects).catch(() => [])) {
      const names = await readdir(join(projects, folder));
      if (names.includes(`${id}.jsonl`)) return join(projects, folder, `${id}.jsonl`);
    }
    return undefined;
  });
}

/** What `baton internal cycle` says at its end. */
export async function cycle(
  { project, session }: Pick<HandedOff, "project" | "session">,
  ...limits: string[]
) {
  const { stdout, stderr } = await baton(project, ["internal", "cycle", session.id, "--json", ...limits]);
  return JSON.parse(stdout || JSON.stringify({ stderr }));
}

/** For what must not be waited for. */
export const soon = ["--prompt-limit", "1500", "--take-up-limit", "1500"];
/** For where nobody will tell. */
export const withoutHooks = ["--hook-limit", "1000"];

export function onRecord({ project, session }: Pick<HandedOff, "project" | "session">) {
  return registryOf(project).find(session.id);
}

export function handoffFiles({ folder }: TestProject): Promise<string[]> {
  return readdir(join(folder, ".baton", "handoffs"));
}
