import fc from "fast-check";
import { expect, it } from "vitest";
import { belowFloor } from "./floors.ts";

const floors = { disk: 1_000_000_000, memory: 256_000_000 };

it("says what there is too little of, and how little", () => {
  const plenty = { folder: "/project", free: 2_000_000_000 };
  expect(belowFloor({ disks: [plenty], memory: 300_000_000 }, floors)).toBeUndefined();
  expect(belowFloor({ disks: [plenty, { folder: "/trees", free: 12_000_000 }], memory: 1 }, floors)).toEqual({
    code: "disk",
    text: "the disk of /trees has 12 MB free, and fleet.min_free_disk is 1 GB",
  });
  expect(belowFloor({ disks: [plenty], memory: 255_000_000 }, floors)?.code).toBe("memory");
});

it("lets jobs start exactly while every disk and the memory are at their floor or above", () => {
  const bytes = fc.nat(2_000_000_000);
  fc.assert(
    fc.property(fc.array(bytes, { maxLength: 4 }), bytes, (disks, memory) => {
      const free = { disks: disks.map((free) => ({ folder: "/", free })), memory };
      const isEnough = [...disks.map((free) => free >= floors.disk), memory >= floors.memory].every(Boolean);
      expect(belowFloor(free, floors) === undefined).toBe(isEnough);
    }),
  );
});
