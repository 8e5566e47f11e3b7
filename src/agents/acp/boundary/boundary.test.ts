import { expect, it } from "vitest";
import { Boundary } from "./boundary.ts";

/** A program as its session knows it. */
function played() {
  const known = { reached: false, answered: false };
  const read = Promise.withResolvers<void>();
  const boundary = new Boundary({
    isReached: () => known.reached,
    hasAnswered: () => known.answered,
    read: () => read.promise,
  });
  const says = (news: Partial<typeof known>) => {
    Object.assign(known, news);
    boundary.heard();
  };
  return { boundary, says, read: read.resolve };
}

/** What a program has been told by now. */
async function soFar(decision: Promise<string>): Promise<string> {
  await new Promise(setImmediate);
  return Promise.race([decision, Promise.resolve("waits")]);
}

it("decides at once before the first answer of a turn, which a message alone leads to", async () => {
  expect(await soFar(played().boundary.asked(() => "go on"))).toBe("go on");
});

it("decides once the tools have ended for its session, too, and its reader has heard of it", async () => {
  const { boundary, says, read } = played();
  says({ answered: true });
  const decided = boundary.asked(() => "stop");
  expect(await soFar(decided)).toBe("waits");
  says({ reached: true });
  expect(await soFar(decided)).toBe("waits");
  read();
  expect(await decided).toBe("stop");
});

it("knows a program that does not wait by an answer that follows on tools", async () => {
  const waiting = played();
  waiting.says({ answered: true });
  const decided = waiting.boundary.asked(() => "go on");
  waiting.says({ reached: true });
  waiting.read();
  await decided;
  waiting.says({ reached: false });
  expect(waiting.boundary.isPassed).toBe(false);
  waiting.says({ reached: true });
  waiting.says({ reached: false });
  expect(waiting.boundary.isPassed).toBe(true);
});
