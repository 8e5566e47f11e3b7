import { Problem } from "../problem.ts";

const MOST_BYTES = 1024 * 1024;
const DEEPEST = 32;

/** What a request says: JSON and nothing else, of a bounded size and depth. Undefined where it says nothing. */
export async function jsonBody(request: Request): Promise<unknown> {
  return jsonIn(await boundedText(request), request.headers);
}

export function jsonIn(text: string, headers: Headers): unknown {
  const type = headers.get("content-type") ?? "";
  if (text === "") {
    return undefined;
  }
  if (!/^application\/json(?:\s*;\s*charset=utf-8)?$/i.test(type.trim())) {
    throw new Problem(415, "not-json", "Send JSON, with Content-Type: application/json.");
  }
  if (depthOf(text) > DEEPEST) {
    throw new Problem(400, "too-deep", `The body is nested more than ${DEEPEST} levels deep.`);
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new Problem(400, "not-json", "The body is not JSON.");
  }
}

/** To the byte as it was sent. */
export async function boundedText(request: Request): Promise<string> {
  const announced = Number(request.headers.get("content-length") ?? 0);
  if (announced > MOST_BYTES) throw tooLarge();
  if (!request.body) return "";
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of request.body) {
    size += piece.byteLength;
    if (size > MOST_BYTES) throw tooLarge();
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}

function tooLarge(): Problem {
  // What is still on its way is not read.
  return new Problem(413, "too-large", `A body has at most ${MOST_BYTES} bytes.`, {
    headers: { connection: "close" },
  });
}

/** Counted in the text, before anything is made of it. */
function depthOf(text: string): number {
  let [depth, deepest, isText] = [0, 0, false];
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (isText) {
      if (character === BACKSLASH) at++;
      else if (character === QUOTE) isText = false;
    } else if (character === QUOTE) isText = true;
    else if (OPENING.has(character)) deepest = Math.max(deepest, ++depth);
    else if (CLOSING.has(character)) depth--;
  }
  return deepest;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);
