import { expect, it } from "vitest";
import { aHandoff } from "./a-handoff.ts";
import { baton } from "./harness.ts";
import { ownProject, registered } from "./own-session.ts";

it("lists the sessions before one that continues their work as JSON, and leaves them out of the table", async () => {
  const project = await ownProject();
  const ended = { at: "2026-01-01T10:00:00.000Z", reason: "clear" };
  const takenUpBy = (successor: string) => ({
    ended,
    handoff: aHandoff("taken-up", { at: ended.at, successor }),
  });
  await registered(project, "first-session", [], takenUpBy("second-session"));
  await registered(project, "second-session", [], { ...takenUpBy("third-session"), parent: "first-session" });
  await registered(project, "third-session", [], { parent: "second-session" });
  await registered(project, "a-finished-one", [], { ended });
  await registered(project, "its-predecessor", [], takenUpBy("a-finished-one"));

  const { sessions } = JSON.parse((await baton(project, ["status", "--json"])).stdout);
  const linked = sessions.map(({ id, parent, handoff }: Record<string, { successor: string }>) => [
    id,
    parent,
    handoff?.successor,
  ]);
  expect(linked.sort()).toEqual([
    ["first-session", undefined, "second-session"],
    ["second-session", "first-session", "third-session"],
    ["third-session", "second-session", undefined],
  ]);
  const { stdout } = await baton(project, ["status"]);
  expect(stdout).toContain("third-se");
  expect(stdout).not.toMatch(/first-se|second-s/);
});
