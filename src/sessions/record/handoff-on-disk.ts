import type { HandoffTrigger } from "../../handoff/document.ts";
import { given } from "../../util/given.ts";
import { type AskedHandoff, HINDRANCES, type SessionHandoff, type StoredHandoff } from "./handoff.ts";

/**
 * A handoff as any version of Baton recorded it. Where nobody is said to have wanted it, the threshold did; what belongs to
 * another state is left over from that, and goes. One that lacks what its state cannot be without is none.
 */
export function handoffFrom(value: unknown): SessionHandoff | null {
  if (typeof value !== "object" || value === null) return null;
  const text = (key: string) => textIn(value, key);
  const [at, number, documentPath, successor] = [
    text("at"),
    numberIn(value, "number"),
    text("documentPath"),
    text("successor"),
  ];
  if (at === undefined || number === undefined) return null;
  const begun = {
    at,
    number,
    trigger: triggerIn(value),
    ...given({ focus: text("focus"), atRest: flagIn(value, "atRest") }),
  };
  const wentOn = given({ wentOn: flagIn(value, "wentOn") });
  const passedOn = { ...begun, ...wentOn, ...given({ outlived: flagIn(value, "outlived") }) };
  const reason = text("reason");
  const state = text("state");
  switch (state) {
    case "asked": {
      const told = {
        again: textsIn(value, "again"),
        seen: seenIn(Reflect.get(value, "seen")),
        unanswered: flagIn(value, "unanswered"),
        interrupted: flagIn(value, "interrupted"),
        fromFacts: fromFactsIn(Reflect.get(value, "fromFacts")),
      };
      return { state, ...begun, ...given({ documentPath }), ...given(told) };
    }
    case "stored":
      return documentPath === undefined
        ? null
        : { state, ...begun, documentPath, ...wentOn, ...given({ waitsFor: hindranceIn(value) }) };
    case "clearing":
      return documentPath === undefined
        ? null
        : { state, ...passedOn, documentPath, ...given({ successor }) };
    case "pending":
    case "failed":
      if (documentPath === undefined) return null;
      return { state, ...passedOn, documentPath, ...given({ successor }), reason: reason ?? NO_REASON };
    case "taken-up":
      if (successor === undefined) return null;
      return { state, ...passedOn, ...given({ documentPath, reason }), successor };
    case "cancelled": {
      const more = { unwritten: flagIn(value, "unwritten"), seen: seenIn(Reflect.get(value, "seen")) };
      return { state, ...begun, ...given({ documentPath, ...more, told: flagIn(value, "told") }) };
    }
    default:
      return null;
  }
}

const NO_REASON = "no reason is on record";

const TRIGGERS: readonly HandoffTrigger[] = [
  "threshold",
  "forecast",
  "overflow",
  "resume",
  "lost",
  "manual",
  "agent",
];

function triggerIn(value: object): HandoffTrigger {
  const trigger = textIn(value, "trigger");
  return TRIGGERS.find((known) => known === trigger) ?? "threshold";
}

function hindranceIn(value: object): StoredHandoff["waitsFor"] {
  const waitsFor = textIn(value, "waitsFor");
  return HINDRANCES.find((known) => known === waitsFor);
}

function seenIn(value: unknown): AskedHandoff["seen"] {
  if (typeof value !== "object" || value === null) return undefined;
  const [percent, turns] = [numberIn(value, "percent"), numberIn(value, "turns")];
  return percent === undefined || turns === undefined ? undefined : { percent, turns };
}

function fromFactsIn(value: unknown): AskedHandoff["fromFacts"] {
  if (typeof value !== "object" || value === null) return undefined;
  const [documentPath, turns] = [textIn(value, "documentPath"), numberIn(value, "turns")];
  return documentPath === undefined || turns === undefined ? undefined : { documentPath, turns };
}

function textIn(value: object, key: string): string | undefined {
  const found: unknown = Reflect.get(value, key);
  return typeof found === "string" ? found : undefined;
}

function textsIn(value: object, key: string): string[] | undefined {
  const found: unknown = Reflect.get(value, key);
  return Array.isArray(found) ? found.filter((text) => typeof text === "string") : undefined;
}

function numberIn(value: object, key: string): number | undefined {
  const found: unknown = Reflect.get(value, key);
  return typeof found === "number" ? found : undefined;
}

function flagIn(value: object, key: string): true | undefined {
  return Reflect.get(value, key) === true ? true : undefined;
}
