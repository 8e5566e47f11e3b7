import { findSecrets } from "./find.ts";
import { KnownValues } from "./known-values.ts";
import { canBeSecret } from "./looks-random.ts";
import { isSecretName } from "./names.ts";
import type { Span } from "./span.ts";

export interface Redact {
  <T>(value: T): T;
  /** How much at the end of a text may be the beginning of a secret whose rest is still to come. */
  begun?: (text: string) => number;
}

/** What stands in the place of a secret. It is not redacted again. */
const MARK = /\[redacted(?:: [\w.-]{1,100})?\]/g;
const DEEPEST = 200;
/** A text that is shorter is searched again rather than looked up. */
const WORTH_KEEPING = 500;
const BESIDE_ITS_NAME = { quoted: true, assigned: true };

/**
 * Takes secrets out of every string of a value: the values of secret-looking variables in whatever form they are
 * printed, and what is one by its shape or by the name beside it.
 */
export function redactor(env: Readonly<Record<string, string>>): Redact {
  const known = new KnownValues(env);
  /** Of the value at hand: what an agent does and what it gave to a tool are often the same text. */
  const seen = new Map<string, string>();
  const inText = (text: string): string => {
    if (text.length < WORTH_KEEPING) return searched(text);
    const clean = seen.get(text) ?? searched(text);
    seen.set(text, clean);
    return clean;
  };
  const searched = (text: string): string => {
    if (text.length < 6) return text;
    const spans = [...outsideMarks(text, known.find(text)), ...findSecrets(text).spans];
    return spans.length === 0
      ? text
      : without(text, spans, ({ name }) => (name ? `[redacted: ${name}]` : "[redacted]"));
  };
  const inField = (name: string, value: unknown, depth: number): unknown => {
    const clean = inValue(value, depth);
    const isSecret =
      typeof clean === "string" &&
      clean === value &&
      isSecretName(name) &&
      canBeSecret(clean, BESIDE_ITS_NAME);
    return isSecret ? "[redacted]" : clean;
  };
  const inValue = (value: unknown, depth: number): unknown => {
    if (typeof value === "string") return inText(value);
    if (typeof value !== "object" || value === null) return value;
    if (depth >= DEEPEST) return "[too deep]";
    if (Array.isArray(value)) return value.map((each) => inValue(each, depth + 1));
    const clean: Record<string, unknown> = {};
    let taken = 1;
    for (const [key, inner] of Object.entries(value)) {
      let as = inText(key);
      if (Object.hasOwn(clean, as)) as = `${as} (${++taken})`;
      define(clean, as, inField(key, inner, depth + 1));
    }
    return clean;
  };
  const redact = <T>(value: T) => {
    const clean = inValue(value, 0) as T;
    seen.clear();
    return clean;
  };
  return Object.assign(redact, { begun: (text: string) => known.begun(text) });
}

/** The same where more values come to be known as secrets later. */
export function growingRedactor(env: Readonly<Record<string, string>>): {
  redact: Redact;
  learn: (more: Readonly<Record<string, string>>) => void;
} {
  let known = env;
  let current = redactor(known);
  return {
    redact: Object.assign(<T>(value: T) => current(value), {
      begun: (text: string) => current.begun?.(text) ?? 0,
    }),
    learn(more) {
      known = { ...known, ...more };
      current = redactor(known);
    },
  };
}

/** Text with other words in the place of some of its parts, which may overlap. */
export function without(text: string, spans: readonly Span[], mark: (span: Span) => string): string {
  const merged: Span[] = [];
  for (const span of [...spans].sort((a, b) => a.from - b.from)) {
    const last = merged.at(-1);
    if (!last || span.from >= last.to) merged.push({ ...span });
    else {
      last.to = Math.max(last.to, span.to);
      if (last.name === undefined && span.name !== undefined) last.name = span.name;
    }
  }
  let clean = "";
  let after = 0;
  for (const span of merged) {
    clean += text.slice(after, span.from) + mark(span);
    after = span.to;
  }
  return clean + text.slice(after);
}

function outsideMarks(text: string, spans: Span[]): Span[] {
  if (spans.length === 0 || !text.includes("[redacted")) return spans;
  const marks = [...text.matchAll(MARK)].map(({ index, 0: mark }) => ({
    from: index,
    to: index + mark.length,
  }));
  let next = 0;
  return spans.filter(({ from, to }) => {
    while ((marks[next]?.to ?? Number.POSITIVE_INFINITY) <= from) next++;
    return (marks[next]?.from ?? Number.POSITIVE_INFINITY) >= to;
  });
}

/** `__proto__` from a model's words is a key like any other. */
function define(object: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
}
