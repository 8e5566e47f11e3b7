import { expect, it, vi } from "vitest";
import { Boundary } from "./boundary.ts";

function boundary({ stops = false, isRefused = false } = {}) {
  const did: string[] = [];
  const one = new Boundary({
    whyCut: () => (stops ? "stopped" : undefined),
    async cut(why) {
      did.push(why);
      if (isRefused) throw new Error("no turn runs");
    },
    asks: () => did.push("asks"),
  });
  one.opened({ pass: () => did.push("pass"), reset: (isLeft) => did.push(isLeft ? "replaced" : "reset") });
  return { one, did };
}

it("decides when its reader comes to the hook that waits, and not at another", () => {
  const { one, did } = boundary();
  const [first, second] = [{}, {}];
  one.waitsAt("preModelRequest", first);
  expect(did).toEqual(["asks", "pass"]);
  one.waitsAt("preModelRequest", second);
  // The first was let pass at once: its reader is behind, and a hook of the user's may stand there too.
  one.heard(first);
  one.heard({});
  expect(did).toHaveLength(2);
  one.heard(second);
  expect(did).toEqual(["asks", "pass", "asks", "pass"]);
  one.turnIsOver();
  expect(did.at(-1)).toBe("reset");
});

it("has later ones wait elsewhere where one was left to be ended with its turn", () => {
  const { one, did } = boundary({ stops: true });
  one.waitsAt("preModelRequest", {});
  one.turnIsOver();
  expect(did).toEqual(["stopped", "replaced"]);
  one.turnIsOver();
  expect(did.at(-1)).toBe("reset");
});

it("lets pass whom it cannot end", async () => {
  const { one, did } = boundary({ stops: true, isRefused: true });
  one.waitsAt("preModelRequest", {});
  await vi.waitUntil(() => did.includes("pass"));
  expect(did).toEqual(["stopped", "asks", "pass"]);
  one.turnIsOver();
  expect(did.at(-1)).toBe("reset");
});
