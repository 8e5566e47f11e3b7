import { describe, expect, it, vi } from "vitest";
import { MINUTE, pass, playClock } from "../../../test/played-clock.ts";
import { only } from "../../../test/played-job.ts";
import { atWork, running } from "../../../test/played-leg.ts";
import { response, toolEnd, toolStart } from "../../../test/played-session.ts";
import type { Changes } from "../../job/watchdog/stall.ts";

const config = { session: { stallTimeoutMs: 16 * MINUTE } };
const resting: Changes = { processes: false, git: false, files: false };

playClock();

/** In the middle of a tool, with these changes at every look. */
async function inTool(look: () => Changes) {
  const looks = vi.fn(look);
  const played = await atWork({ config, lifeSigns: () => async () => looks() });
  played.session.play(response(10_000), toolStart("tests"));
  const { run, seen } = await running(played.leg);
  return { ...played, run, seen, looks };
}

describe("a tool that prints nothing", () => {
  it("is left alone for as long as what it started does something", async () => {
    const { events, seen, looks } = await inTool(() => ({ processes: true }));
    await pass(10 * 60 * MINUTE);
    expect(seen.end).toBeUndefined();
    expect(looks).toHaveBeenCalled();
    expect([...only(events, "stall:suspected"), ...only(events, "stall:over")]).toEqual([]);
  });

  it("is suspected where nothing does, and its program is ended after session.stall_timeout", async () => {
    const { events, run, seen } = await inTool(() => resting);
    await pass(7 * MINUTE);
    expect(only(events, "stall:suspected")).toEqual([]);
    await pass(2 * MINUTE);
    expect(only(events, "stall:suspected")).toMatchObject([
      {
        quietMs: 8 * MINUTE,
        actsInMs: 8 * MINUTE,
        watched: ["events", "processes", "git", "files"],
        tool: "Shell make",
      },
    ]);
    expect(seen.end).toBeUndefined();
    await pass(7 * MINUTE);
    expect(await run).toMatchObject({ kind: "trouble", code: "stalled" });
    expect(only(events, "stall:over")).toMatchObject([{ outcome: "ended", quietMs: 16 * MINUTE }]);
  });

  it("is suspected no longer once it is heard of, or seen to do something", async () => {
    let changes = resting;
    const { events, session, seen } = await inTool(() => changes);
    await pass(9 * MINUTE);
    changes = { ...resting, files: true };
    await pass(MINUTE);
    expect(only(events, "stall:over")).toMatchObject([{ outcome: "alive", sign: "files" }]);
    changes = resting;
    await pass(9 * MINUTE);
    session.play(toolEnd("tests"));
    await pass(0);
    expect(only(events, "stall:over")).toMatchObject([
      { sign: "files" },
      { outcome: "alive", sign: "events" },
    ]);
    expect(seen.end).toBeUndefined();
  });
});

it("does not take commands in the background for a sign of a model that is waited for", async () => {
  const looks = vi.fn(() => ({ processes: true }));
  const { leg, session, events } = await atWork({ config, lifeSigns: () => async () => looks() });
  session.play(response(10_000));
  const { run } = await running(leg);
  await pass(16 * MINUTE);
  expect(await run).toMatchObject({ kind: "trouble", code: "stalled" });
  expect(looks).not.toHaveBeenCalled();
  expect(only(events, "stall:suspected")).toMatchObject([{ watched: ["events"] }]);
});
