import { Box, type Instance, render, Text, useInput, usePaste, useWindowSize } from "ink";
import { createElement as h, type ReactElement, useSyncExternalStore } from "react";
import type { Shown } from "../connectors/terminal/terminal.ts";
import { rendered } from "../display/markdown/render.ts";
import { oneLine, onScreen, type Paint, printable } from "../display/style.ts";
import { fitted } from "../display/width.ts";
import { actionsOf } from "./keys.ts";
import type { Room } from "./room.ts";

/** Draws the room until it is unmounted. */
export function showRoom(props: { room: Room; paint: Paint }): Instance {
  return render(h(View, props), { exitOnCtrlC: false, interactive: true });
}

function View({ room, paint }: { room: Room; paint: Paint }): ReactElement {
  const state = useSyncExternalStore(room.subscribe, () => room.state);
  const { columns, rows } = useWindowSize();
  useInput((input, key) => {
    for (const action of actionsOf(input, key)) room.act(action);
  });
  usePaste((text) => room.act({ type: "edit", edit: { type: "insert", text } }));
  const width = columns - 1;
  const { by, channel, thread, isDirect, editor, news } = state;
  const { threads } = room;
  const at =
    thread === undefined ? "new thread" : `thread ${threads.indexOf(thread) + 1} of ${threads.length}`;
  const where = isDirect ? "direct message" : `#${channel} · ${at}`;
  const shown = room.messages.flatMap((message) => linesOf(message, width, paint));
  // What is taller than the screen could not be drawn over.
  const most = Math.max(3, rows - 5);
  return h(
    Box,
    { flexDirection: "column" },
    h(Text, { wrap: "truncate" }, onScreen(paint("bold", `${where} · you are ${oneLine(by.name)}`))),
    h(Text, null, onScreen(shown.slice(-most).join("\n"))),
    h(Text, { wrap: "truncate", dimColor: true }, onScreen(fitted(oneLine(news), width))),
    h(
      Text,
      { wrap: "truncate" },
      onScreen(`${paint("cyan", "› ")}${printable(editor.text).replaceAll("\n", "⏎")}▏`),
    ),
  );
}

function linesOf({ by, text, buttons, file, reactions }: Shown, width: number, paint: Paint): string[] {
  const who = by === null ? paint("green", "bot") : paint("cyan", oneLine(by.name));
  const seen = reactions.length > 0 ? ` ${reactions.join(" ")}` : "";
  const words = rendered(printable(text), paint, width - 2).split("\n");
  const keys = buttons.map(({ label }, index) => `[${index + 1}] ${oneLine(label)}`).join("  ");
  return [
    `${who}${seen}`,
    ...words.map((line) => `  ${line}`),
    ...(file ? [`  ${paint("dim", `📎 ${oneLine(file.name)}, ${file.content.length} characters`)}`] : []),
    ...(keys === "" ? [] : [`  ${paint("yellow", keys)}`]),
  ];
}
