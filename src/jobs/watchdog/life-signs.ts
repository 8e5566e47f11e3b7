import { stat } from "node:fs/promises";
import { join } from "node:path";
import { newestChange } from "../../files/newest-change.ts";
import { askGit } from "../../git/git.ts";
import type { Changes } from "../../job/watchdog/stall.ts";
import { type Activity, isAtRest, sharedActivityOf } from "../../processes/activity.ts";
import type { Mark } from "../../processes/marks.ts";

/** What of a repository changes with every commit, checkout and staged file. */
const OF_GIT = ["HEAD", "index", "logs/HEAD"];

/** Looks whether a command that an agent waits for does something: by its processes, by git, by files. */
export class LifeSigns {
  readonly #mark: Mark;
  readonly #folder: string;
  #gitFolder: Promise<string | undefined> | undefined;
  #processes: Activity | undefined;
  #git: string | undefined;
  #files: number | undefined;

  constructor(mark: Mark, folder: string) {
    this.#mark = mark;
    this.#folder = folder;
  }

  /** Since the last look. The first has nothing to compare with. What is dearer is not looked at where something was found. */
  async look(): Promise<Changes> {
    const processes = await this.#lookAtProcesses();
    if (processes) return { processes };
    const found = processes === undefined ? {} : { processes };
    const git = await this.#lookAtGit();
    if (git) return { ...found, git };
    const files = await this.#lookAtFiles();
    return { ...found, ...(git !== undefined && { git }), ...(files !== undefined && { files }) };
  }

  async #lookAtProcesses(): Promise<boolean | undefined> {
    const before = this.#processes;
    const now = await sharedActivityOf(this.#mark).catch(() => undefined);
    this.#processes = now;
    // One that came or went did something.
    if (before === undefined || now === undefined) return before === now ? undefined : before !== undefined;
    return !isAtRest(before, now);
  }

  async #lookAtGit(): Promise<boolean | undefined> {
    this.#gitFolder ??= askGit(this.#folder, ["rev-parse", "--absolute-git-dir"]).catch(() => undefined);
    const folder = await this.#gitFolder;
    if (folder === undefined) return undefined;
    const times = await Promise.all(
      OF_GIT.map((name) =>
        stat(join(folder, name)).then(
          ({ mtimeMs }) => mtimeMs,
          () => 0,
        ),
      ),
    );
    const before = this.#git;
    this.#git = times.join(" ");
    return before !== undefined && before !== this.#git;
  }

  async #lookAtFiles(): Promise<boolean | undefined> {
    const before = this.#files;
    this.#files = await newestChange(this.#folder);
    return this.#files === undefined ? undefined : before !== undefined && before !== this.#files;
  }
}
