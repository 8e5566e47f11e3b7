import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { emojiName } from "./emoji.ts";
import { openFence } from "./live-stream.ts";
import { markdownOf, peopleIn, plain, withoutMentions } from "./text.ts";

describe("what an agent wrote", () => {
  it.each([
    "<!channel>",
    "<!here|here>",
    "<@U1>",
    "`<@U1>`",
    "```\n<!everyone>\n```",
    "<!subteam^S1>",
    "<@U1|ada>",
  ])("rings for nobody: %s", (text) => {
    expect(withoutMentions(text)).not.toMatch(/<[@!#]/);
    expect(plain(text)).not.toMatch(/[<>]/);
  });

  it("rings for nobody whatever it is, and stays within the limit", () => {
    const pieces = fc.constantFrom("<", "!", "@U1", "channel", ">", "&lt;", "\u202e", "`", "\n", "a", "|");
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 40 }), fc.integer({ min: 40, max: 200 }), (parts, most) => {
        const shown = withoutMentions(parts.join(""), most);
        expect(shown).not.toContain("<");
        expect(shown.length).toBeLessThanOrEqual(most);
      }),
    );
  });

  it("keeps quotes, links and ampersands", () => {
    const text = "> quoted\n[a](https://a.test/?b=1&c=2) && `x > y`";
    expect(withoutMentions(text)).toBe(text);
  });
});

describe("what a person wrote", () => {
  const names = new Map([["U1", "Ada"]]);
  it.each([
    ["<@UBOT> hello", "hello"],
    ["hello <@UBOT>, and <@U1>", "hello , and @Ada"],
    ["<@U9|grace> and <@U8>", "@grace and @U8"],
    ["in <#C1|general> and <#C2>", "in #general and #C2"],
    ["<!here> <!subteam^S1|@team> <!date^1^{date}|today>", "@here @team today"],
    ["<https://a.test/?x=1&amp;y=2>", "https://a.test/?x=1&y=2"],
    ["<https://a.test|the site> <mailto:a@b.test|a@b.test>", "[the site](https://a.test) a@b.test"],
    ["a &lt;b&gt; &amp;lt; c", "a <b> &lt; c"],
    ["1 < 2 <", "1 < 2 <"],
  ])("reads as Markdown: %s", (text, markdown) => {
    expect(markdownOf(text, names, "UBOT")).toBe(markdown);
  });

  it("names each person once", () => {
    expect(peopleIn("<@U1> <@U2|b> <@U1> <!here> <#C1>")).toEqual(["U1", "U2"]);
  });
});

it.each([
  ["👀", "eyes"],
  ["⚙️", "gear"],
  [":custom_one:", "custom_one"],
  ["+1", "+1"],
  ["🦖", undefined],
  ["", undefined],
  ["a b", undefined],
])("knows emoji by their names: %s", (emoji, name) => {
  expect(emojiName(emoji)).toBe(name);
});

it.each([
  ["text", ""],
  ["```ts\ncode", "```ts"],
  ["```ts\ncode\n```", ""],
  ["````\n```\n", "````"],
  ["~~~\n```\n", "~~~"],
  ["```a\n```\n```b\n", "```b"],
  ["in `code` only", ""],
])("knows in which block of code a text ends: %j", (text, fence) => {
  expect(openFence(text)).toBe(fence);
});
