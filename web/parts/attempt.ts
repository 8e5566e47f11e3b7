import { messageOf } from "../../src/util/errors.ts";
import { say } from "./said.tsx";

/** Does what a person asked for and tells them if it was refused. True where it was done. */
export async function attempt(work: () => Promise<unknown>, done?: string): Promise<boolean> {
  try {
    await work();
    if (done !== undefined) say(done);
    return true;
  } catch (error) {
    say(messageOf(error), true);
    return false;
  }
}
