import { expect, it } from "vitest";
import { redactor } from "./redact.ts";
import { RedactedStream } from "./redacted-stream.ts";

const env = { MY_API_TOKEN: "tok-1234567890abcdef", OTHER_SECRET: "two words and more" };
const redact = redactor(env);

/** Nothing of a secret with spaces is shown before it is known for one. */
function begunAtEnd(text: string): number {
  const value = env.OTHER_SECRET;
  for (let length = value.length - 1; length > 0; length--) {
    if (text.endsWith(value.slice(0, length))) return length;
  }
  return 0;
}

/** Words of many lengths, with secrets among them, in pieces that end anywhere. */
function* pieces(count: number): Generator<string> {
  for (let index = 0; index < count; index++) {
    const secret =
      index % 97 === 0 ? ` ${env.MY_API_TOKEN} ` : index % 89 === 0 ? ` ${env.OTHER_SECRET}` : "";
    const text = `${"word".repeat(1 + (index % 5))}${index % 7 === 0 ? "\n" : " "}${secret}`;
    yield text.slice(0, 5);
    yield text.slice(5);
  }
}

it("is at each moment what the whole text would be, up to its last word", () => {
  const stream = new RedactedStream(redact);
  let whole = "";
  for (const piece of pieces(8_000)) {
    whole += piece;
    const shown = stream.add(piece);
    const end = Math.max(whole.lastIndexOf(" "), whole.lastIndexOf("\n"));
    const words = whole.slice(0, end + 1);
    if (whole.length % 50 === 0) expect(shown).toBe(redact(words.slice(0, end + 1 - begunAtEnd(words))));
  }
  expect(whole.length).toBeGreaterThan(100_000);
});

it("does not look at a long text again with every piece", () => {
  let looked = 0;
  const counting = <T>(value: T): T => {
    looked += String(value).length;
    return redact(value);
  };
  const lookedAt = (count: number) => {
    looked = 0;
    const stream = new RedactedStream(counting);
    for (const piece of pieces(count)) stream.add(piece);
    return looked;
  };
  const [some, tenfold] = [lookedAt(1_000), lookedAt(10_000)];
  expect(tenfold / some).toBeLessThan(15);
});

it("begins anew when it is cleared", () => {
  const stream = new RedactedStream(redact);
  stream.add("One text. ");
  stream.clear();
  expect(stream.add("Another ")).toBe("Another ");
});
