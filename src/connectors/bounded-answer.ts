/** More came than was allowed: the rest is not read. */
export class TooLargeError extends Error {
  override readonly name = "TooLargeError";

  constructor(most: number) {
    super(`it is larger than ${most} bytes`);
  }
}

/** The whole of what a server sends, up to a size. */
export async function boundedBytes(response: Response, most: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of response.body ?? []) {
    length += part.byteLength;
    if (length > most) throw new TooLargeError(most);
    parts.push(part);
  }
  return Buffer.concat(parts, length);
}

export async function boundedText(response: Response, most: number): Promise<string> {
  return new TextDecoder().decode(await boundedBytes(response, most));
}
