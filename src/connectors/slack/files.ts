import { z } from "zod";
import { withhold } from "../../secrets/withhold.ts";
import { fetchFailure } from "../../util/errors.ts";
import { oneLine } from "../../util/printable.ts";
import { version } from "../../version.ts";
import { boundedBytes, TooLargeError } from "../bounded-answer.ts";
import type { ChatFile, Place, Said } from "../connector.ts";
import { UndeliveredError } from "../error.ts";
import type { SlackFile } from "./heard.ts";
import { BrokenAnswer, type SlackApi } from "./web-api.ts";

const TRANSFER_MS = 120_000;
const UploadPlace = z.object({ upload_url: z.string().max(4_000), file_id: z.string().max(100) });
const Done = z.object({ ok: z.literal(true) });
const Info = z.object({
  file: z.object({
    url_private_download: z.string().max(4_000).nullish(),
    mimetype: z.string().nullish(),
    shares: z.record(z.string(), z.record(z.string(), z.unknown())).nullish(),
  }),
});

interface FileOptions {
  api: SlackApi;
  token: string;
  /** Where the Web API is. */
  base: string;
}

/** Files both ways. The bot's token goes to Slack's own hosts, and to nobody else. */
export class Files {
  readonly #options: FileOptions;

  constructor(options: FileOptions) {
    this.#options = options;
  }

  /** One that somebody attached. Nothing is read before somebody asks. */
  attached(file: SlackFile): ChatFile {
    return {
      name: oneLine(file.name ?? file.id).slice(0, 255),
      type: file.mimetype ?? "application/octet-stream",
      bytes: file.size ?? 0,
      read: (most, signal) => this.#download(file, most, signal),
    };
  }

  async #download(file: SlackFile, most: number, signal: AbortSignal): Promise<Uint8Array> {
    const { api, token } = this.#options;
    if ((file.size ?? 0) > most) throw tooLarge(file, most);
    // Of a channel that is shared with another organisation, Slack gives no address until it is asked.
    const from =
      file.url_private_download ??
      (await api.call("files.info", { file: file.id }, Info, { signal })).file.url_private_download;
    const url = this.#own(from ?? "");
    if (!url)
      throw new UndeliveredError(`${nameOf(file)} is not at one of Slack's own addresses.`, "", false);
    const headers = { authorization: `Bearer ${token}`, "user-agent": `baton/${version()}` };
    try {
      const within = AbortSignal.any([signal, AbortSignal.timeout(TRANSFER_MS)]);
      const response = await fetch(url, { headers, redirect: "manual", signal: within });
      const type = response.headers.get("content-type") ?? "";
      // Whoever may not read it gets the page to sign in, as a redirect or with status 200.
      const isSignIn = type.startsWith("text/html") && !(file.mimetype ?? "").startsWith("text/html");
      if (!response.ok || isSignIn) {
        await response.body?.cancel();
        throw new UndeliveredError(
          `Slack does not give ${nameOf(file)} to the bot (status ${response.status}).`,
          "Give the app the scope files:read under “OAuth & Permissions”, and install it again.",
          false,
        );
      }
      return await boundedBytes(response, most);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof TooLargeError) throw tooLarge(file, most);
      if (error instanceof UndeliveredError) throw error;
      throw new UndeliveredError(
        `${nameOf(file)} could not be read (${withhold(oneLine(fetchFailure(error)), [token])}).`,
        "",
        true,
      );
    }
  }

  /** Shares it in a thread, once: where the last answer breaks, Slack is asked whether it is there. */
  async share(
    place: Place,
    { name, content }: NonNullable<Said["file"]>,
    signal: AbortSignal,
  ): Promise<void> {
    const { api } = this.#options;
    const bytes = Buffer.from(content, "utf8");
    const filename = oneLine(name).replace(/[/\\]/g, "_").slice(0, 200) || "answer.md";
    const asked = { filename, length: bytes.length };
    const { upload_url, file_id } = await api.call("files.getUploadURLExternal", asked, UploadPlace, {
      signal,
    });
    await this.#upload(upload_url, bytes, signal);
    const given = {
      files: [{ id: file_id, title: filename }],
      channel_id: place.channel,
      thread_ts: place.thread,
    };
    try {
      await api.call("files.completeUploadExternal", given, Done, { signal, again: false });
    } catch (error) {
      if (!(error instanceof BrokenAnswer)) throw error;
      const { file } = await api.call("files.info", { file: file_id }, Info, { signal });
      const isShared = Object.values(file.shares ?? {}).some((channels) => place.channel in channels);
      if (!isShared) await api.call("files.completeUploadExternal", given, Done, { signal, again: false });
    }
  }

  async #upload(to: string, bytes: Buffer, signal: AbortSignal): Promise<void> {
    const url = this.#own(to);
    if (!url)
      throw new UndeliveredError("Slack named a place for a file that is none of its own.", "", false);
    const late = AbortSignal.timeout(TRANSFER_MS);
    try {
      const response = await fetch(url, {
        method: "POST",
        headers: { "content-type": "application/octet-stream", "user-agent": `baton/${version()}` },
        body: new Uint8Array(bytes),
        redirect: "manual",
        signal: AbortSignal.any([signal, late]),
      });
      await response.body?.cancel();
      if (response.ok) return;
      throw new UndeliveredError(
        `Slack did not take the file (status ${response.status}).`,
        "",
        response.status >= 500,
      );
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof UndeliveredError) throw error;
      throw new UndeliveredError(`Slack did not take the file (${oneLine(fetchFailure(error))}).`, "", true);
    }
  }

  /** An address that the token may go to. */
  #own(address: string): URL | undefined {
    return ownAddress(address, this.#options.base);
  }
}

/** Undefined for one that is not Slack's, nor of the server that stands in for it. */
export function ownAddress(address: string, base: string): URL | undefined {
  const url = URL.parse(address);
  if (url === null) return undefined;
  if (url.username !== "" || url.password !== "") return undefined;
  if (url.origin === URL.parse(base)?.origin) return url;
  return url.protocol === "https:" && url.port === "" && /(?:^|\.)slack(?:-gov)?\.com$/.test(url.hostname)
    ? url
    : undefined;
}

function nameOf(file: SlackFile): string {
  return oneLine(file.name ?? file.id).slice(0, 100);
}

function tooLarge(file: SlackFile, most: number): UndeliveredError {
  return new UndeliveredError(`${nameOf(file)} is larger than ${most} bytes.`, "", false);
}
