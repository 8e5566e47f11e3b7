import { expect, it } from "vitest";
import { heldIn } from "./limits.ts";

it.each([
  ["podman", "false v1 [cpu memory]", ["memory", "cpu", "pids"]],
  ["podman", "true v1 []", []],
  ["podman", "true v2 [memory pids]", ["memory", "pids"]],
  ["docker", "true true false", ["memory", "cpu"]],
] as const)("tells what %s holds by %j", (engine, said, held) => {
  expect(heldIn(engine, said)).toEqual(held);
});
