/** Words by which people forbid, require and prefer. */
const BINDING =
  /\b(?:must(?:n't)?|never|always|only|don't|do not|doesn't|does not|cannot|can't|should(?:n't)?|shall|require[sd]?|avoid|without|instead of|rather than|prefer(?:ably)?|make sure|ensure|keep|no (?:new |more |other )?\w+|at (?:most|least)|not)\b/i;

const LONGEST = 600;

/** The sentences and list entries of a user's text that bind whoever works on it, word for word. */
export function constraintsIn(text: string): string[] {
  const found: string[] = [];
  for (const block of withoutCode(text).split(/\n\s*\n|\n(?=\s*(?:[-*+]|\d+[.)])\s)/)) {
    for (const sentence of sentencesOf(block)) {
      if (sentence.length <= LONGEST && BINDING.test(sentence)) found.push(sentence);
    }
  }
  return [...new Set(found)];
}

function withoutCode(text: string): string {
  return text.replace(/^```[\s\S]*?^```/gm, "");
}

let sentences: Intl.Segmenter | undefined;

function sentencesOf(block: string): string[] {
  const entry = block.replace(/^\s*(?:[-*+]|\d+[.)])\s+/, "");
  sentences ??= new Intl.Segmenter("en", { granularity: "sentence" });
  return [...sentences.segment(entry)]
    .map(({ segment }) => segment.trim())
    .filter((sentence) => /\w/.test(sentence));
}
