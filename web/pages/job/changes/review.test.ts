import { expect, it } from "vitest";
import { messageOf } from "./review.ts";

it("makes one message of a review, by file and line, with the code that each comment is about", () => {
  const text = messageOf([
    { file: "b.ts", line: 3, isRemoved: false, quote: "const a = `x`;", text: "Why not b? " },
    { file: "b.ts", line: 0, isRemoved: false, quote: "", text: "Too long as a whole." },
    { file: "a.md", line: 7, isRemoved: true, quote: "```", text: "Keep it." },
  ]);
  expect(text).toBe(`A review of your changes, with 3 comments:

1. a.md:7 (a line that you removed)

\`\`\`\`
\`\`\`
\`\`\`\`

Keep it.

2. b.ts

Too long as a whole.

3. b.ts:3

\`\`\`
const a = \`x\`;
\`\`\`

Why not b?`);
});
