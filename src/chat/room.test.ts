import { expect, it } from "vitest";
import { TerminalChat } from "../connectors/terminal/terminal.ts";
import { Room } from "./room.ts";

function typing(room: Room, text: string): void {
  room.act({ type: "edit", edit: { type: "insert", text } });
  room.act({ type: "enter" });
}

it("opens a thread by its number, and says so where there is none", () => {
  const room = new Room(new TerminalChat(), ["C1"], () => {});
  typing(room, "/thread 1");
  expect(room.state.news).toContain("none yet");
  typing(room, "one");
  typing(room, "/new");
  typing(room, "two");
  const [one, two] = room.threads;
  expect(room.state.thread).toBe(two);
  typing(room, "/thread 3");
  expect(room.state).toMatchObject({ thread: two, news: expect.stringContaining("/thread 1 to 2") });
  typing(room, "/thread 1");
  expect(room.state.thread).toBe(one);
});
