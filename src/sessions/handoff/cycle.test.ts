import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, it, onTestFinished } from "vitest";
import { aHandoff } from "../../../test/a-handoff.ts";
import type { SessionHandoff } from "../record/handoff-state.ts";
import { Registry } from "../record/registry.ts";
import { newSession } from "../record/session.ts";
import { type CycleOptions, type Place, runCycle } from "./cycle.ts";

let registry: Registry;
let started: string[];

beforeEach(async () => {
  const folder = await mkdtemp(join(tmpdir(), "baton-cycle-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  registry = new Registry(join(folder, "sessions"));
  await (await import("node:fs/promises")).mkdir(registry.folder);
  started = [];
});

/** A session in a plain terminal whose handoff becomes another while a place for the next one is looked for. */
async function cycled(meanwhile: SessionHandoff) {
  const startedAt = "2026-01-01T00:00:00.000Z";
  const handoff = aHandoff("stored", { documentPath: "/one.md" });
  await registry.update("s1", () => newSession({ id: "s1", cwd: "/p", project: "/p", startedAt, handoff }));
  const place: Place = {
    name: "another place",
    async start(_line, document) {
      started.push(document);
      return { id: "next" };
    },
    begun: async () => ({ id: "next" }),
  };
  let looks = 0;
  const options: CycleOptions = {
    registry,
    handoff: { dir: join(registry.folder, "..", "handoffs"), autoContinue: true },
    elsewhere: {
      async window() {
        if (looks++ === 0) await registry.update("s1", (known) => known && { ...known, handoff: meanwhile });
        return place;
      },
      job: () => expect.fail("there is a window"),
    },
    notify: async () => {},
  };
  const ending = await runCycle("s1", options);
  return { ending, after: (await registry.find("s1"))?.handoff };
}

it("does nothing more for a handoff once the session is asked for the next one", async () => {
  const asked = aHandoff("asked", { number: 2, documentPath: "/one.md" });
  const { ending, after } = await cycled(asked);
  expect({ ending, after, started }).toEqual({ ending: { outcome: "nothing" }, after: asked, started: [] });
});

it("passes the newer one on where the session has stored another meanwhile", async () => {
  const { ending, after } = await cycled(aHandoff("stored", { number: 2, documentPath: "/two.md" }));
  expect(ending).toEqual({ outcome: "taken-up", successor: "next" });
  expect(started).toEqual(["/two.md"]);
  expect(after).toMatchObject({ state: "taken-up", number: 2, documentPath: "/two.md" });
});
