import { type Account, emptyAccount } from "../src/handoff/account.ts";
import type { Rule, Scenario } from "../src/simulator/scenario.ts";
import { handOver, isHandoffRequest } from "../src/simulator/scenarios/hand-over.ts";
import { type ProjectOptions, type TestProject, testProject } from "./harness.ts";
import { needs } from "./needs.ts";
import { obedient } from "./obedient.ts";
import { type Screen, Tmux } from "./panes.ts";

const ACCOUNT: Account = {
  ...emptyAccount(),
  goal: "Talk about the shed.",
  progress: { done: ["The shed was looked at"], inProgress: [], pending: ["Its colour"] },
  currentState: "Nothing is painted.",
  nextSteps: ["Choose a colour."],
};

/** A handoff request that is answered once the test lets it be. */
export function heldHandoff(): { rule: Rule; letGo: () => void } {
  const { promise, resolve: letGo } = Promise.withResolvers<void>();
  const reply: Rule["reply"] = (request) => promise.then(() => handOver(request, ACCOUNT));
  return { rule: { when: isHandoffRequest, reply, times: 1 }, letGo };
}

/** A model that does what it is told, answers what it is asked, and hands over. `rules` come first. */
export function talkative(...rules: Rule[]): Scenario {
  const handsOver: Rule = { when: isHandoffRequest, reply: (request) => handOver(request, ACCOUNT) };
  const answers: Rule = {
    when: ({ kind, last }) => kind === "main" && /ask-\w+\s*$/.test(last),
    reply: ({ last }) => ({ say: `The answer to ${/(ask-\w+)\s*$/.exec(last)?.[1]} is yes.` }),
  };
  return { ...obedient({ before: [...rules, answers, handsOver] }), name: "talkative" };
}

interface OpenChat {
  project: TestProject;
  tmux: Tmux;
  screen: Screen;
}

/** How the terminal is left: a command line needs all three. */
export const AS_IT_WAS = "isig icanon echo";
const SETTINGS = "stty -a | grep -o -- '-\\?\\(icanon\\|echo\\|isig\\)\\b' | tr '\\n' ' '";

/** `baton chat` in a pane, ready for the first message. When it has ended, the pane shows how. */
export async function openChat(options: Partial<ProjectOptions> = {}): Promise<OpenChat> {
  needs("tmux");
  const project = await testProject({ scenario: talkative(), ...options });
  const tmux = await Tmux.start(project);
  const screen = await chatIn(tmux, project, "chat");
  await screen.shows("ready");
  return { project, tmux, screen };
}

export function chatIn(tmux: Tmux, { folder, program }: TestProject, ...args: string[]): Promise<Screen> {
  const words = [process.execPath, program, ...args].map((word) => `'${word}'`).join(" ");
  return tmux.open(folder, "sh", "-c", `${words}; echo "exit code $?"; ${SETTINGS}; exec tail -f /dev/null`);
}

/** Types, waits until it stands in the input, and sends it. */
export async function say(screen: Screen, text: string): Promise<void> {
  await screen.types(text);
  await screen.shows(`› ${text}`);
  await screen.presses("Enter");
}

/** Asks something and waits for the answer and for the next turn to be the person's. */
export async function ask(screen: Screen, word: string): Promise<void> {
  await say(screen, `ask-${word}`);
  await screen.shows(answered(word));
}

export function answered(word: string): RegExp {
  return new RegExp(`The answer to ask-${word} is yes\\.[\\s\\S]*your turn`);
}
