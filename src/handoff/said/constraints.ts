/**
 * Which sentences of a user's text bind whoever works on it from then on: what they forbid, demand and prefer. All that a user
 * says is in the facts word for word, so that in doubt a sentence is none: accounts are only asked for again over those that are.
 */

const LONGEST = 600;

/** A text of this length is a specification or a log: nobody repeats all that it demands, only what it forbids. */
const LONG_TEXT = 3_000;

/** The constraints in a text, word for word, each a sentence or an entry of a list. */
export function constraintsIn(text: string): string[] {
  const isLong = text.length > LONG_TEXT;
  const found = entriesOf(text).flatMap(({ entry, isListed }) =>
    sentencesOf(entry).filter((sentence) => binds(sentence, { isLong, isListed })),
  );
  return [...new Set(found)];
}

interface Place {
  isLong: boolean;
  isListed: boolean;
}

/** Whether a sentence that stood alone binds. */
export function isConstraint(sentence: string): boolean {
  return binds(sentence, { isLong: false, isListed: true });
}

function binds(sentence: string, { isLong, isListed }: Place): boolean {
  if (sentence.length > LONGEST) return false;
  const plain = sentence.replace(/[*_`"“”]+/g, "").replace(/’/g, "'");
  if (POLITE.test(plain)) return true;
  if (/\?\W*$/.test(plain)) return false;
  const clauses = clausesOf(plain);
  if (clauses.some(forbids) || MUST_NOT.test(plain)) return true;
  if (isLong) return false;
  return (
    demands(plain) ||
    clauses.some(restrains) ||
    isBounded(clauses) ||
    (isComplete(plain, isListed) && limits(plain))
  );
}

/** What may be put as a question and is none. */
const POLITE =
  /\b(?:(?:can|could|would|will) (?:you|we) (?:please )?(?:not|never|avoid)|please (?:don't|do not|never|avoid))\b/i;

/** What stands before an instruction and is no part of it. */
const LEAD =
  /^(?:(?:please|also|just|but|and|so|then|or|yes|yeah|no|ok(?:ay)?|well|again|remember|important|note|nb|however|otherwise|in general|generally|by the way|for now|from now on|going forward)\b[\s:,.!-]*)+/i;

/** The parts of a sentence of which each can be an instruction. What comes after "and" is one where what comes before it is. */
function clausesOf(sentence: string): string[] {
  const parts = sentence.split(/[,;:()—–]|\s-+\s|\.\s/);
  return parts.flatMap((part) => {
    const [first = "", ...joined] = part.split(/\b(?:and|but|or|so|then)\b/i).map(withoutLead);
    return first === "" || isInstruction(first) ? [first, ...joined] : [first];
  });
}

function isInstruction(clause: string): boolean {
  return ACTS.test(clause) || FORBIDS.test(clause) || PRESERVES.test(clause);
}

function withoutLead(clause: string): string {
  return clause.trim().replace(LEAD, "").trim();
}

const FORBIDS =
  /^(?:do not|don't|dont|never|always|avoid|refrain from|under no circumstances|let's (?:not|never|always))\s+(\S+)\s*(.*)/i;
/** "Don't worry", and "don't know" without its subject. */
const NO_ACT =
  /^(?:know|think|care|mind|worry|understand|remember|recall|see|have|get|need|want|like|believe|feel|bother|agree|ask|sweat|hesitate|mean|exist|seem|look|work|matter|happen|been|be)$/i;
const PAST =
  /^(?:got|saw|seen|went|gone|was|were|had|did|done|made|ran|found|came|took|knew|thought|heard|wrote|gave|left|kept|built|\w+ed)$/i;
/** A thing that only the moment tells. */
const POINTS =
  /^(?:it|them|me|him|her|so)\b|^(?:that|this|those|these)(?:$|\W+(?:yet|now|for|to|in|on|at|with|a|an|as|like|way|kind)\b)/i;
const LASTS = /\b(?:again|ever|anymore|any more|at any time|under any circumstances)\b/i;

/** "Never …", "do not …", "always …": what holds until somebody takes it back. */
function forbids(clause: string): boolean {
  const [, verb = "", object = ""] = FORBIDS.exec(clause) ?? [];
  const act = verb.replace(/\W+$/, "");
  if (act === "" || NO_ACT.test(act) || PAST.test(act) || isThirdPerson(act)) return false;
  if (/^let's/i.test(clause) && /\b(?:yet|now|today)\b/i.test(object)) return false;
  return /^(?:never|always|under)/i.test(clause) || !POINTS.test(object) || LASTS.test(object);
}

const isThirdPerson = (word: string) => /[^su]s$/i.test(word);

const MUST_NOT =
  /\b(?:must(?: not|n't| never)|shall(?: not|n't| never)|may not|not to be (?:touched|changed|edited|removed|used)|off[- ]limits|under no circumstances|at all times)\b(?! (?:have|be (?:a|the|it|that|why|how|because))\b)/i;

/** A guess, not a demand. */
const SUPPOSES =
  /\b(?:i must|must(?:'ve| have) (?:been|had|gone|got|done|come|made|\w+ed)|(?:it|that|this|there|he|she|they) must be (?!no\b|at (?:most|least)|exactly|idempotent|compatible)|must be (?:because|due|why|how|where|that|related|wrong|missing|broken|mistaken|confused|some\w*|\w+ing)|should(?:n't| not) (?:have|happen|matter|take|be (?:a|an|too|hard|difficult|possible|there|necessary|needed)))\b/i;
const MUST =
  /\b(?:must|shall|mandatory|prohibited|should(?:n't| (?:not|never|always|only|still|stay|remain))|(?:has|have|needs?) to (?:stay|remain|keep|support|pass|build|compile)|from now on|going forward)\b/i;
const WISHES =
  /\b(?:i (?:always )?prefer\b|i (?:do not|don't|never) want (?:you|us|any|new|to see)\b|we (?:always|never|only|don't|do not) use\b)/i;

function demands(sentence: string): boolean {
  return (MUST.test(sentence) && !SUPPOSES.test(sentence)) || WISHES.test(sentence);
}

const ACTS =
  /^(?:use|change|touch|edit|modify|write|rewrite|read|commit|push|run|add|import|call|test|work|do|make|create|build|implement|fix|refactor|rename|move|delete|remove|revert|undo|ignore|replace|port|migrate|convert|allow|accept|support|return|log|install|depend|deploy|merge|publish|update|upgrade|improve|extend|document|show|print|send|store|include|export|target|rely|speed|simplify|split|translate|choose|pick|favou?r|prefer|put|set|name|format|solve|optimi[sz]e|clean|design|handle)\b/i;
/** Of what an act may do. What stands behind "that", "when" or a subject tells of something else. */
const WITHIN =
  /^(?!(?:it|they|this|there)\b)(?:(?!(?:that|which|who|when|where|why|because|if)\b)\S+\s+)*?(?:(?:with no|without)\s+(?:(?:new|any|other|external|third-party|extra|more|additional|runtime)\s+)?(?:dependenc|librar|packag|framework|adding|using|changing|touching|breaking|modifying|introducing|installing|removing|renaming|rewriting)|(?:at most|at least|no more than|no longer than|under|below|within|up to)\s+(?:\d|one|two|three|four|five|ten)|no (?:new|other|external|third-party|extra|more|additional|runtime)\b)/i;
const SELECTS =
  /^\w+(?:\s+(?!that|which|who|when|where|why|because|if|it)\S+)*?\s+(?:only|instead of|rather than)\b/i;
const PRESERVES =
  /^(?:keep|preserve|maintain|stick to|stay (?:in|within|on|with|below|under|out of|away from))\s+(?!going|up|me\b|an eye|track|in mind|posted|on\b|at it|trying|working|looking|digging)(?:(?:it|this|that|them)\s+(?:under|below|within|as|compatible|simple|short|small|unchanged|green)\b|(?!it\b|them\b|(?:this|that)\s*$)\S)/i;
const LEAVES = /^leave\b.*\b(?:alone|as (?:it|they|is)|untouched|unchanged|out of)\b/i;
const ENSURES =
  /^(?:make sure|ensure|be sure|see to it)\b.*\b(?:all|every|each|any|no|none|nothing|never|always|not|\w+n't|only|still|stays?|remains?|keeps?)\b/i;

/** "Use only …", "keep the …", "make sure that all …": how the work is to be done, whatever it is. */
function restrains(clause: string): boolean {
  return (
    PRESERVES.test(clause) ||
    LEAVES.test(clause) ||
    ENSURES.test(clause) ||
    /^prefer\b/i.test(clause) ||
    (/^only\b/i.test(clause) && ACTS.test(clause.slice("only".length).trim())) ||
    (ACTS.test(clause) && SELECTS.test(clause))
  );
}

function isBounded(clauses: readonly string[]): boolean {
  return ACTS.test(clauses[0] ?? "") && clauses.some((clause) => WITHIN.test(clause));
}

const NO_LIMIT =
  /^(?:no|only)\W+(?:idea|problem|worries|way|thanks?|doubt|clue|reason|luck|difference|rush|need|hurry|one|recently|if|when|after|because|then|just|now|the|a|thing|question|issue|comment)\b|^no\W*[,.]/i;
const TELLS =
  /\b(?:is|are|was|were|has|had|have|does|did|seems?|happen(?:s|ed)?|fail(?:s|ed)?|found|\w+ed)\b/i;
const EACH = /^(?:each|every|all)\b.*\b(?:at most|at least|no more than)\b/i;

/** "No tabs.", "Only ASCII in file names.", "Every module at most 300 lines." */
function limits(sentence: string): boolean {
  const [, rest = sentence] = /^(?:and|also|but|so|please)[\s,:]+(.*)/is.exec(sentence) ?? [];
  if (TELLS.test(rest)) return false;
  const [, limit = ""] = /^(?:no|only)\s+(\S.*)/is.exec(rest) ?? [];
  return EACH.test(rest) || (limit !== "" && !NO_LIMIT.test(rest) && !ACTS.test(limit));
}

/** A line without an end is as likely to be from a log. */
function isComplete(sentence: string, isListed: boolean): boolean {
  return isListed || /[.!;]\W*$/.test(sentence);
}

/** Without code, and without what quotes others: lines behind ">" and of tables. */
function entriesOf(text: string): { entry: string; isListed: boolean }[] {
  const own = text.replace(/^```[\s\S]*?^```/gm, "").replace(/^[ \t]*[>|#].*$/gm, "");
  return own.split(/\n\s*\n|\n(?=\s*(?:[-*+]|\d+[.)])\s)/).map((block) => {
    const entry = block.replace(/^\s*(?:[-*+]|\d+[.)])\s+/, "");
    return { entry, isListed: entry.length < block.length && /^\s*[-*+\d]/.test(block) };
  });
}

let sentences: Intl.Segmenter | undefined;

function sentencesOf(entry: string): string[] {
  // A line that begins in lower case continues the one above it.
  const unwrapped = entry.replace(/\n[ \t]*(?=[\p{Ll}(])/gu, " ");
  sentences ??= new Intl.Segmenter("en", { granularity: "sentence" });
  return [...sentences.segment(unwrapped)]
    .map(({ segment }) => segment.trim())
    .filter((sentence) => /\w/.test(sentence));
}
