import { NoRoomError } from "../../files/no-room.ts";
import { messageOf } from "../../util/errors.ts";
import { makeCheckpoint } from "../../workspace/checkpoint.ts";
import { ignoredForCheckpoint } from "../../workspace/ignored/leave.ts";
import type { JobAtWork } from "./phases.ts";

/** `noRoom`: why there is none, where that is a full or read-only disk. */
interface Kept {
  ref?: string;
  noRoom?: NoRoomError;
}

type Keeping = Pick<JobAtWork, "cwd" | "job" | "append" | "redact">;

/** Keeps the whole tree of the workspace as it stands. Undefined where that cannot be: then a warning says why. */
export async function checkpoint(work: Keeping, reason: string): Promise<string | undefined> {
  return (await tryCheckpoint(work, reason)).ref;
}

export async function tryCheckpoint({ cwd, job, append, redact }: Keeping, reason: string): Promise<Kept> {
  try {
    const root = job().workspace?.repo;
    // Nothing that is looked for besides keeps the rest from being kept.
    const ignored = root ? await ignoredForCheckpoint({ worktree: cwd, root }, redact).catch(() => []) : [];
    const made = await makeCheckpoint(cwd, job().id, `${job().id}: ${reason}`, ignored);
    if (!made) return {};
    if (made.ref !== job().checkpoint)
      append({ type: "checkpoint", ref: made.ref, commit: made.commit, reason });
    return { ref: made.ref };
  } catch (error) {
    const said = messageOf(error);
    append({ type: "warning", message: `No checkpoint could be made (${reason}): ${said}` });
    return error instanceof NoRoomError ? { noRoom: error } : {};
  }
}

/** Keeps the tree from time to time while the job is at work. At its end nothing of it is under way any more. */
export function checkpointEvery(
  context: Pick<JobAtWork, "cwd" | "job" | "append" | "redact" | "config">,
): AsyncDisposable {
  let underWay: Promise<unknown> | undefined;
  const timer = setInterval(() => {
    underWay ??= checkpoint(context, "at work").finally(() => {
      underWay = undefined;
    });
  }, context.config.workspace.checkpointIntervalMs);
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await underWay;
    },
  };
}
