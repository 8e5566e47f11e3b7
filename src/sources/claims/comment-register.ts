import { setTimeout as sleep } from "node:timers/promises";
import { messageOf } from "../../util/errors.ts";
import { derivedId } from "../derived-id.ts";
import { type ClaimRecord, parseRecord, printRecord } from "./record.ts";
import { type Register, RegisterUnreachableError, type Standing } from "./register.ts";

/** Comments of an item, as a register needs them. */
export interface ClaimComments {
  readonly place: string;
  /** Of several comments with one id the tracker itself lets only one be. */
  readonly takesIds: boolean;
  /** How a comment holds what only Baton reads. */
  readonly form: "hidden" | "code";
  /** Of people who may write to what the work is done in, and of nobody else. In the order in which the tracker numbered them. */
  list(item: string, signal?: AbortSignal): Promise<{ id: string; text: string }[]>;
  /**
   * `id`: for a tracker that takes ids. Whether this comment was written is seen in the list: an answer may be lost.
   */
  create(item: string, text: string, id: string | undefined, signal?: AbortSignal): Promise<void>;
  /** False where it is gone. */
  edit(item: string, id: string, text: string, signal?: AbortSignal): Promise<boolean>;
  remove(item: string, id: string, signal?: AbortSignal): Promise<void>;
}

interface Options {
  comments: ClaimComments;
  source: string;
  /**
   * More than twice as long as a read may be behind. Within it every other's comment is seen, and so is that whoever had the
   * item has renewed his claim after all.
   */
  waitMs: number;
}

interface Entry {
  id: string;
  record: ClaimRecord;
}

/** Whether a comment is nobody's words. */
export const isClaimComment = (text: string) => MARK.test(text);

/** What every comment with a claim contains. */
export const CLAIM_MARK = "baton-claim:";

const MARK = new RegExp(`(?:<!-- |\`)${CLAIM_MARK}([A-Za-z0-9_-]+)(?: -->|\`)`);

/**
 * Claims as comments, where the remote takes no refs. Of the comments of the highest epoch the first counts; its author
 * edits it to renew the claim or to end it. Nothing is compared when it is written, so that whoever claims waits and looks
 * again.
 */
export class CommentRegister implements Register {
  readonly place: string;
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
    this.place = options.comments.place;
  }

  async read(item: string, signal?: AbortSignal): Promise<Standing | undefined> {
    const [first] = topOf(await this.#entries(item, signal));
    return first && { version: versionOf(first), record: first.record };
  }

  async readAll(items: readonly string[], signal?: AbortSignal): Promise<Map<string, Standing>> {
    const found = new Map<string, Standing>();
    for (const item of items) {
      const standing = await this.read(item, signal);
      if (standing) found.set(item, standing);
    }
    return found;
  }

  async take(
    record: ClaimRecord,
    over: Standing | undefined,
    signal?: AbortSignal,
  ): Promise<Standing | undefined> {
    const { comments, source, waitMs } = this.#options;
    const { item, epoch, nonce } = record;
    if ((await this.read(item, signal))?.version !== over?.version) return undefined;
    // An id may not be free again once it was taken, and what stood there then is not what stands there the next time.
    const id = comments.takesIds ? derivedId(source, item, `${epoch}`, over?.version ?? "") : undefined;
    await this.#asked(() => comments.create(item, textOf(record, comments.form), id, signal));
    await sleep(waitMs, undefined, signal && { signal });
    const entries = await this.#entries(item, signal);
    const mine = entries.find((entry) => entry.record.nonce === nonce);
    if (!mine) return undefined;
    const [first] = topOf(entries);
    const [before] = topOf(entries.filter((entry) => entry.record.epoch < epoch));
    const isFirst = first?.id === mine.id;
    // Whoever had it has renewed it, and works on.
    const isRenewed = before !== undefined && over !== undefined && versionOf(before) !== over.version;
    if (isFirst && !isRenewed) return { version: versionOf(mine), record };
    // Whoever comes later sees the same that makes it give way.
    await this.#asked(() => comments.remove(item, mine.id, signal));
    return undefined;
  }

  async change(record: ClaimRecord, mine: Standing, signal?: AbortSignal): Promise<Standing | undefined> {
    const { comments } = this.#options;
    const id = idOf(mine);
    const text = textOf(record, comments.form);
    const isThere = await this.#asked(() => comments.edit(record.item, id, text, signal));
    const [first] = isThere ? topOf(await this.#entries(record.item, signal)) : [];
    return first?.id === id ? { version: versionOf({ id, record }), record } : undefined;
  }

  async remove(item: string, standing: Standing, signal?: AbortSignal): Promise<boolean> {
    if ((await this.read(item, signal))?.version !== standing.version) return false;
    await this.#asked(() => this.#options.comments.remove(item, idOf(standing), signal));
    return true;
  }

  async #entries(item: string, signal?: AbortSignal): Promise<Entry[]> {
    const { comments, source } = this.#options;
    const listed = await this.#asked(() => comments.list(item, signal));
    return listed.flatMap(({ id, text }): Entry[] => {
      const [, written] = MARK.exec(text) ?? [];
      const record = written && parseRecord(Buffer.from(written, "base64url").toString("utf8"));
      // What was copied from another item is no claim of this one.
      return record && record.item === item && record.source === source ? [{ id, record }] : [];
    });
  }

  async #asked<T>(question: () => Promise<T>): Promise<T> {
    try {
      return await question();
    } catch (error) {
      throw new RegisterUnreachableError(messageOf(error), { cause: error });
    }
  }
}

/** Those of the highest epoch, the first first. */
function topOf(entries: readonly Entry[]): Entry[] {
  const highest = Math.max(...entries.map(({ record }) => record.epoch));
  return entries.filter(({ record }) => record.epoch === highest);
}

const versionOf = ({ id, record }: Entry) => `${id} ${record.nonce}`;
const idOf = ({ version }: Standing) => version.split(" ")[0] ?? "";

/** A line for people, and one for Baton. */
function textOf(record: ClaimRecord, form: ClaimComments["form"]): string {
  const { state, job, epoch } = record;
  const words = state === "claimed" ? `Baton works on this: ${job}` : `${job}: ${state}`;
  const mark = CLAIM_MARK + Buffer.from(printRecord(record)).toString("base64url");
  return `${words} (claim ${epoch})\n\n${form === "hidden" ? `<!-- ${mark} -->` : `\`${mark}\``}`;
}
