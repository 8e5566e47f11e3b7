import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Told, toldWords } from "./words.ts";

const lengthOf = (told: Told) =>
  told.kind === "whole"
    ? told.text.length
    : told.kind === "brief"
      ? told.brief.head.length + told.brief.tail.length
      : 0;

describe("what the user said", () => {
  it("stands whole where there is room for all of it", () => {
    expect(toldWords(["a", "b".repeat(4_000)], 8_000).map(({ kind }) => kind)).toEqual(["whole", "whole"]);
  });

  it("is told in brief where it is long, were it the newest", () => {
    const [told] = toldWords([`Begin ${"word ".repeat(2_000)}end`], 8_000);
    expect(told).toMatchObject({ kind: "brief" });
    expect(told?.kind === "brief" && [told.brief.head.slice(0, 5), told.brief.tail.slice(-3)]).toEqual([
      "Begin",
      "end",
    ]);
  });

  it("gives way from the longest on, then from the oldest on, the newest last", () => {
    const kinds = (messages: string[], most: number) => toldWords(messages, most).map(({ kind }) => kind);
    const [short, middling] = ["s ".repeat(200), "m ".repeat(1_000)];
    expect(kinds([short, middling, short, middling], 3_500)).toEqual(["whole", "brief", "whole", "whole"]);
    expect(kinds([short, short, short, short], 1_000)).toEqual(["aside", "aside", "whole", "whole"]);
    expect(kinds([short, short], 10)).toEqual(["aside", "whole"]);
  });

  it("is all there in its order, and fits but for the newest", () => {
    const message = fc.oneof(
      fc.string({ maxLength: 50 }),
      fc.nat({ max: 9_000 }).map((n) => "word ".repeat(n / 5)),
    );
    fc.assert(
      fc.property(
        fc.array(message, { maxLength: 40 }),
        fc.integer({ min: 0, max: 9_000 }),
        (messages, most) => {
          const told = toldWords(messages, most);
          expect(told.map(({ text }) => text)).toEqual(messages);
          const older = told.slice(0, -1).reduce((sum, one) => sum + lengthOf(one), 0);
          expect(older).toBeLessThanOrEqual(most);
          for (const one of told)
            if (one.kind === "brief") {
              const { head, tail, left } = one.brief;
              expect(
                (one.text.startsWith(head) && one.text.endsWith(tail.trimEnd())) ||
                  one.text.trimEnd().endsWith(tail.trimEnd()),
              ).toBe(true);
              expect(head.length + tail.length + left).toBe(one.text.length);
            }
        },
      ),
    );
  });
});
