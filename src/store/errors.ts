export type StoreProblem =
  | "locked"
  | "read-only"
  | "full"
  | "damaged"
  | "newer"
  | "missing"
  | "gone"
  | "unusable";

/** The store cannot do what was asked of it. */
export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly code: StoreProblem;
  readonly path: string;

  constructor(code: StoreProblem, path: string, cause?: unknown) {
    super(`The store ${path} ${advice[code](path)}${detail(cause)}`, { cause });
    this.code = code;
    this.path = path;
  }
}

const advice: Record<StoreProblem, (path: string) => string> = {
  locked: (path) =>
    `is locked by another process. Wait until that is done, or find it with \`fuser ${path}\` and end it; then try again.`,
  "read-only": () =>
    "cannot be written: the file or its folder is read-only for this user. Make both writable to run jobs; `baton jobs`, `show` and `logs` work as it is.",
  full: () =>
    "cannot grow: the disk is full. What was recorded is safe. Free some space, then continue with `baton resume`.",
  damaged: (path) =>
    `is damaged, or is not a Baton store. Keep a copy, save what is readable with \`sqlite3 ${path} .recover\`, and move the file away to start a new one.`,
  newer: () => "was written by a newer Baton than this one. Update Baton to run jobs in it.",
  missing: () => "does not exist yet: no job was run here. Start one with `baton run`.",
  gone: () =>
    "is gone: it was deleted, moved or replaced while a job was recorded in it, so the job was stopped. Put it back and continue with `baton resume`, or start anew with `baton run`.",
  unusable: () =>
    "cannot be used. Check that it is a file which this user may read, and that its disk works.",
};

const detail = (cause: unknown) => (cause instanceof Error ? ` (${cause.message})` : "");

export class JobNotFoundError extends Error {
  override readonly name = "JobNotFoundError";
  readonly job: string;
  /** The id of the job that was most likely meant, where one is close. */
  readonly nearest: string | undefined;

  constructor(job: string, nearest?: string) {
    const hint = nearest === undefined ? "" : `\n  did you mean "${nearest}"?`;
    super(`There is no job "${job}". \`baton jobs\` lists them.${hint}`);
    this.job = job;
    this.nearest = nearest;
  }
}

export class AmbiguousJobError extends Error {
  override readonly name = "AmbiguousJobError";
  readonly prefix: string;
  readonly matches: string[];

  constructor(prefix: string, matches: string[]) {
    super(
      `"${prefix}" can mean several jobs; write more of the id:\n${matches.map((id) => `  ${id}`).join("\n")}`,
    );
    this.prefix = prefix;
    this.matches = matches;
  }
}
