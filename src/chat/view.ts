import { Box, type Instance, render, Static, Text, useInput, usePaste, useWindowSize } from "ink";
import { createElement as h, type ReactElement, useEffect, useReducer, useSyncExternalStore } from "react";
import type { AgentConfig } from "../config/config.ts";
import { liveLine } from "../display/live-line.ts";
import { coloured, onScreen, type Paint, printable } from "../display/style.ts";
import type { Chat, ChatState } from "./chat.ts";
import { rowsOf } from "./editor.ts";
import { actionsOf } from "./keys.ts";
import { saidLine } from "./lines.ts";
import { questionLines } from "./permission.ts";

const PROMPT = "› ";
const TICK_MS = 1_000;

interface ViewProps {
  chat: Chat;
  config: AgentConfig;
  paint: Paint;
}

/** Draws the chat until it is unmounted. */
export function showChat(props: ViewProps): Instance {
  return render(h(View, props), { exitOnCtrlC: false, interactive: true });
}

function View({ chat, config, paint }: ViewProps): ReactElement {
  const state = useSyncExternalStore(chat.subscribe, () => chat.state);
  const { columns, rows } = useWindowSize();
  useTicks(state.isBusy);
  useInput((input, key) => {
    for (const action of actionsOf(input, key)) chat.act(action);
  });
  usePaste((text) => chat.act({ type: "edit", edit: { type: "insert", text } }));
  // A row that reaches the last column would wrap on some terminals.
  const width = columns - 1;
  const most = Math.max(3, Math.floor(rows / 3));
  const kept = h(Static<string>, lines(state.lines));
  if (state.isOver) return kept;
  return h(
    Box,
    { flexDirection: "column" },
    kept,
    h(Partial, { text: state.partial, width, most }),
    ...state.queued.map((text, index) =>
      h(Text, { key: index, dimColor: true }, onScreen(saidLine(text, paint))),
    ),
    h(Text, null, " "),
    h(
      Text,
      { wrap: "truncate" },
      onScreen(liveLine(state.job, config, new Date(), width, paint, true, doingIn(state))),
    ),
    h(Question, { questions: state.questions, width, paint }),
    h(Input, { editor: state.editor, width, most, paint }),
    h(Candidates, { names: state.candidates, width }),
  );
}

/** `Static` takes what draws one of its items as its child, which is no element. */
function lines(items: readonly string[]): StaticProps {
  return { items: [...items], children: (line, index) => h(Text, { key: index }, onScreen(line)) };
}

type StaticProps = Parameters<typeof Static<string>>[0];

/** The end of what is being written: a part that is taller than the screen could not be drawn over. */
function Partial({ text, width, most }: { text: string; width: number; most: number }): ReactElement | null {
  if (text.trim() === "") return null;
  const end = printable(text.trimEnd().slice(-most * width));
  const shown = rowsOf({ text: `\n${end}`, cursor: 0 }, width).rows.slice(-most);
  return h(Text, null, onScreen(shown.join("\n")));
}

function Input({
  editor,
  width,
  most,
  paint,
}: Pick<ChatState, "editor"> & { width: number; most: number; paint: Paint }): ReactElement {
  const { rows, row, column } = rowsOf(editor, width - PROMPT.length - 1);
  const first = Math.max(0, Math.min(row - Math.floor(most / 2), rows.length - most));
  const shown = rows.slice(first, first + most).map((text, index) => {
    const at = first + index;
    const mark = at === 0 ? PROMPT : " ".repeat(PROMPT.length);
    return `${paint("cyan", mark)}${at === row ? withCursor(text, column) : text}`;
  });
  return h(Text, { wrap: "truncate" }, onScreen(shown.join("\n")));
}

function doingIn({ questions, doing }: ChatState): string | undefined {
  return questions.length > 0 ? "waiting for your answer" : doing;
}

function Question({
  questions: [question],
  width,
  paint,
}: Pick<ChatState, "questions"> & { width: number; paint: Paint }): ReactElement | null {
  if (!question) return null;
  return h(Text, { wrap: "truncate" }, onScreen(questionLines(question, width, paint).join("\n")));
}

const MOST_CANDIDATES = 12;

function Candidates({ names, width }: { names: readonly string[]; width: number }): ReactElement | null {
  if (names.length === 0) return null;
  const more = names.length - MOST_CANDIDATES;
  const shown = [...names.slice(0, MOST_CANDIDATES), ...(more > 0 ? [`and ${more} more`] : [])];
  return h(
    Box,
    { width, paddingLeft: PROMPT.length },
    h(Text, { dimColor: true }, onScreen(shown.join("  "))),
  );
}

const graphemes = new Intl.Segmenter();

/** Inverse also where colours are not wanted, because a cursor must be seen. */
function withCursor(text: string, column: number): string {
  const [under] = graphemes.segment(text.slice(column));
  const { segment = " " } = under ?? {};
  return `${text.slice(0, column)}${coloured("inverse", segment)}${text.slice(column + (under ? segment.length : 0))}`;
}

/** Draws again from time to time while something is going on, for the clock. */
function useTicks(isTicking: boolean): void {
  const [, tick] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    if (!isTicking) return;
    const timer = setInterval(tick, TICK_MS);
    return () => clearInterval(timer);
  }, [isTicking]);
}
