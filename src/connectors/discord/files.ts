import { fetchFailure } from "../../util/errors.ts";
import { oneLine } from "../../util/printable.ts";
import { version } from "../../version.ts";
import { boundedBytes, TooLargeError } from "../bounded-answer.ts";
import type { ChatFile } from "../connector.ts";
import { UndeliveredError } from "../error.ts";
import type { Attachment } from "./heard.ts";

const TRANSFER_MS = 120_000;

/** One that somebody attached. Nothing is read before somebody asks. The address is good without a token, and gets none. */
export function attached(file: Attachment, base: string): ChatFile {
  return {
    name: oneLine(file.filename).slice(0, 255),
    type: (file.content_type ?? "application/octet-stream").split(";", 1)[0]?.trim() ?? "",
    bytes: file.size,
    read: (most, signal) => download(file, base, most, signal),
  };
}

async function download(
  { filename, size, url }: Attachment,
  base: string,
  most: number,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const name = oneLine(filename).slice(0, 100);
  const tooLarge = () => new UndeliveredError(`${name} is larger than ${most} bytes.`, "", false);
  if (size > most) throw tooLarge();
  const from = fileAddress(url, base);
  if (!from) throw new UndeliveredError(`${name} is not at one of Discord's own addresses.`, "", false);
  try {
    const response = await fetch(from, {
      headers: { "user-agent": `DiscordBot (baton, ${version()})` },
      redirect: "manual",
      signal: AbortSignal.any([signal, AbortSignal.timeout(TRANSFER_MS)]),
    });
    if (!response.ok) {
      await response.body?.cancel();
      throw new UndeliveredError(`Discord does not give ${name} (status ${response.status}).`, "", false);
    }
    return await boundedBytes(response, most);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof TooLargeError) throw tooLarge();
    if (error instanceof UndeliveredError) throw error;
    throw new UndeliveredError(`${name} could not be read (${oneLine(fetchFailure(error))}).`, "", true);
  }
}

/** Undefined for one that is not Discord's, nor of the server that stands in for it. */
function fileAddress(address: string, base: string): URL | undefined {
  const url = URL.parse(address);
  if (url === null || url.username !== "" || url.password !== "") return undefined;
  if (url.origin === URL.parse(base)?.origin) return url;
  return url.protocol === "https:" &&
    url.port === "" &&
    /^(?:cdn|media)\.discordapp\.(?:com|net)$/.test(url.hostname)
    ? url
    : undefined;
}
