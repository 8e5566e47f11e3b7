import type { Screen } from "./terminal.ts";

export interface Frame {
  screen: Screen;
  chapter: number;
  seconds: number;
  /** Stands alone where nothing moves: in a viewer without animation, or for a reader who wants none. */
  still: boolean;
}

/** What the viewer is told beside the terminal, one after the other. */
export const CHAPTERS = ["the window fills", "the handoff is written", "a new session continues", "done"];

interface Moment {
  name: string;
  chapter: number;
  seconds: number;
  still?: true;
  shows: (text: string) => boolean;
}

const MOMENTS: Moment[] = [
  filled(1, 10, { chapter: 0, seconds: 2.5 }),
  ...[20, 28, 35, 42, 50, 56].map((percent) => filled(1, percent, { chapter: 0, seconds: 0.7 })),
  filled(1, 62, { chapter: 0, seconds: 2.5 }),
  {
    name: "handoff 1 is written",
    chapter: 1,
    seconds: 3.5,
    shows: (text) => /writes its account.*writing handoff 1/s.test(text),
  },
  {
    name: "handoff 1 is stored",
    chapter: 1,
    seconds: 3.5,
    still: true,
    shows: (text) => /stored \S+\.md/.test(text) && /session 2 /.test(text),
  },
  filled(2, 20, { chapter: 2, seconds: 2.5 }),
  ...[30, 40, 50].map((percent) => filled(2, percent, { chapter: 2, seconds: 0.7 })),
  filled(2, 60, { chapter: 2, seconds: 1 }),
  { name: "handoff 2 is written", chapter: 1, seconds: 2, shows: (text) => /writing handoff 2/.test(text) },
  filled(3, 20, { chapter: 2, seconds: 1.5 }),
  filled(3, 30, { chapter: 2, seconds: 0.7 }),
  { name: "the chain", chapter: 3, seconds: 6, shows: (text) => /^session 3 .*completed/m.test(text) },
  { name: "the end", chapter: 3, seconds: 5, shows: (text) => /first real job/.test(text) },
];

class MissingMomentError extends Error {
  override readonly name = "MissingMomentError";

  constructor(moment: string) {
    super(`The recording never shows this: ${moment}. Has what the demo prints changed?`);
  }
}

/** The screens that tell the story, in order, each for as long as it takes to read. */
export function tellingFrames(screens: Screen[]): Frame[] {
  let from = 0;
  return MOMENTS.map(({ name, chapter, seconds, still = false, shows }) => {
    const at = screens.findIndex(({ text }, index) => index >= from && shows(text));
    const screen = screens[at];
    if (!screen) throw new MissingMomentError(name);
    from = at;
    return { screen, chapter, seconds, still };
  });
}

/** The live line shows this session with at least so much of its window in use. */
function filled(session: number, percent: number, frame: Pick<Moment, "chapter" | "seconds">): Moment {
  const line = new RegExp(`session ${session} .* (\\d+)% of `);
  return {
    ...frame,
    name: `session ${session} at ${percent} %`,
    shows: (text) => Number(line.exec(text)?.[1] ?? 0) >= percent,
  };
}
