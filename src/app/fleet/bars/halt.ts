import { halted } from "../../../files/halt.ts";
import { localMinute } from "../../../util/time.ts";
import type { Bar } from "../bars.ts";

/** `baton halt` forbids every start. */
export function barOfHalt(): Bar {
  const halt = halted();
  if (!halt) return () => undefined;
  const text = `all work has been halted since ${localMinute(new Date(halt.since))}, by ${halt.by}: baton unhalt`;
  return () => ({ code: "halted", text });
}
