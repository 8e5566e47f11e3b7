import { type Stats, statSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { StoreError } from "../../store/errors.ts";
import { WorkspaceGone } from "../../workspace/workspace.ts";

interface Standing {
  job: string;
  /** Where it works. */
  folder: string;
  /** The file that it is recorded in. */
  store: string;
  /** Hears what is gone. */
  onGone: (why: WorkspaceGone | StoreError) => void;
}

const LOOK_MS = 1_000;

/**
 * What a job stands on: its folder and its store. A process that has both open does not notice when they go away, and would
 * work on where nobody ever finds it.
 */
export class Ground implements AsyncDisposable {
  readonly #standing: Standing;
  /** Open, so that its number cannot become another folder's. */
  readonly #held: FileHandle;
  readonly #folder: Stats;
  readonly #store: Stats | undefined;
  readonly #timer: NodeJS.Timeout;

  private constructor(standing: Standing, held: FileHandle, folder: Stats) {
    this.#standing = standing;
    this.#held = held;
    this.#folder = folder;
    this.#store = statSync(standing.store, { throwIfNoEntry: false });
    this.#timer = setInterval(() => this.#look(), LOOK_MS);
  }

  static async under(standing: Standing): Promise<Ground> {
    const held = await open(standing.folder, "r").catch(() => undefined);
    if (!held) throw new WorkspaceGone(standing.folder, standing.job, "missing");
    return new Ground(standing, held, await held.stat());
  }

  /** Throws where something is gone. */
  check(): void {
    const gone = this.#look();
    if (gone) throw gone;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    await this.#held.close();
  }

  #look(): WorkspaceGone | StoreError | undefined {
    const gone = this.#gone();
    if (!gone) return undefined;
    clearInterval(this.#timer);
    this.#standing.onGone(gone);
    return gone;
  }

  /** Without its store a job cannot even be paused, so that comes first. */
  #gone(): WorkspaceGone | StoreError | undefined {
    const { job, folder, store } = this.#standing;
    if (this.#store && stands(store, this.#store) !== true) return new StoreError("gone", store);
    const how = stands(folder, this.#folder);
    return how === true ? undefined : new WorkspaceGone(folder, job, how);
  }
}

/** A disk that does not answer is no proof that something is gone. */
function stands(path: string, before: Stats): true | "missing" | "replaced" {
  try {
    const now = statSync(path, { throwIfNoEntry: false });
    if (!now) return "missing";
    return (now.dev === before.dev && now.ino === before.ino) || "replaced";
  } catch {
    return true;
  }
}
