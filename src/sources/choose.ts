import type { WorkSourceConfig } from "../config/work-source.ts";
import type { ItemState } from "../store/tables.ts";
import { oneLine } from "../util/printable.ts";
import type { Item, ItemDetails } from "./source.ts";

/** Why an item is not taken. Told apart by code; the words are for people. */
export interface ItemWait {
  code:
    | "closed"
    | "ignored"
    | "claimed"
    | "delivered"
    | "failed"
    | "not-ready"
    | "excluded"
    | "blocked"
    | "assigned"
    | "untrusted"
    | "held"
    | "trouble";
  text: string;
}

/** What is known here of an item, besides what its tracker says. */
export interface KnownItem {
  state: ItemState;
  job: string | null;
  ignoredAt: string | null;
  /** It looks taken, and this is whose it is by its claim. */
  whose?: { kind: "left" } | { kind: "held"; by: string } | { kind: "nobody's" };
  /** Why it could not be taken when it was last tried, as long as it has not changed since. */
  refused?: ItemWait;
}

type Rules = Pick<WorkSourceConfig, "labels" | "excludeLabels" | "trust">;

/** Those that are taken, the most urgent first and of those alike the oldest, and why the others are not. */
export function chosen<T extends Item>(
  items: readonly T[],
  rules: Rules,
  knownOf: (item: T) => KnownItem | undefined,
): { take: T[]; wait: { item: T; why: ItemWait }[] } {
  const take: T[] = [];
  const wait: { item: T; why: ItemWait }[] = [];
  for (const item of items.toSorted(sooner)) {
    const known = knownOf(item);
    const why = whyNot(item, rules, known) ?? known?.refused;
    if (why) wait.push({ item, why });
    else take.push(item);
  }
  return { take, wait };
}

function sooner(a: Item, b: Item): number {
  return (
    a.priority - b.priority ||
    compared(a.createdAt, b.createdAt) ||
    a.id.length - b.id.length ||
    compared(a.id, b.id)
  );
}

const compared = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** By what a list tells of it. */
export function whyNot(item: Item, rules: Rules, known?: KnownItem): ItemWait | undefined {
  if (!item.isOpen) return { code: "closed", text: "it is closed" };
  if (known?.ignoredAt) return { code: "ignored", text: "you said to ignore it" };
  if (known && ["claiming", "claimed", "ending"].includes(known.state))
    return { code: "claimed", text: known.job === null ? "it is claimed" : `${known.job} has it` };
  // What somebody left without an end has lost its label.
  if (!item.isReady && known?.whose?.kind !== "left") return notReady(item, rules, known);
  if (hasLabel(item, rules.labels.failed))
    return {
      code: "failed",
      text: `it has the label ${rules.labels.failed}: remove that to have it tried again`,
    };
  const excluded = rules.excludeLabels.find((label) => hasLabel(item, label));
  if (excluded !== undefined) return { code: "excluded", text: `it has the label ${excluded}` };
  if (item.blockedBy.length > 0)
    return { code: "blocked", text: `it waits for ${item.blockedBy.map(oneLine).join(", ")}` };
  if (item.assignees.length > 0)
    return { code: "assigned", text: `it is assigned to ${item.assignees.map(oneLine).join(", ")}` };
  return undefined;
}

function notReady(item: Item, { labels }: Rules, known: KnownItem | undefined): ItemWait {
  if (known?.state === "done") return { code: "delivered", text: "its work is delivered" };
  if (hasLabel(item, labels.failed)) return { code: "failed", text: `it has the label ${labels.failed}` };
  if (item.isMarkedTaken && known?.whose?.kind === "held")
    return { code: "held", text: `${oneLine(known.whose.by)} has it` };
  if (item.isMarkedTaken) return { code: "held", text: "another fleet, or a person, works on it" };
  return { code: "not-ready", text: `it has not the label ${labels.ready}` };
}

/** By what is read of it once it is claimed, or before it is shown: who marked it, and whose words it holds. */
export function whyNotRead(details: ItemDetails, rules: Rules): ItemWait | undefined {
  if (rules.trust === "anyone") return undefined;
  const { readyBy } = details;
  if (!readyBy) return untrusted(`nobody knows who set the label ${rules.labels.ready}`);
  if (!readyBy.by.trusted)
    return untrusted(
      `${oneLine(readyBy.by.name)}, who set the label ${rules.labels.ready}, may not write to the repository`,
    );
  // The title alone may say it all.
  if (details.by.trusted || trustedWords(details, rules).length > 0) return undefined;
  const remedy = "say in a comment what the agent should do";
  return untrusted(`${oneLine(details.by.name)}, who wrote it, may not write to the repository: ${remedy}`);
}

const untrusted = (text: string): ItemWait => ({ code: "untrusted", text });

interface Words {
  by: string;
  at: string;
  text: string;
}

/** Undefined where it is a stranger's. */
export function trustedTitle(
  { by, title }: Pick<Item, "by" | "title">,
  { trust }: Pick<Rules, "trust">,
): string | undefined {
  return trust === "anyone" || by.trusted ? title : undefined;
}

/** What the item and its comments say, of those whose words count, the oldest first. */
export function trustedWords(
  { by, createdAt, text, comments }: ItemDetails,
  { trust }: Pick<Rules, "trust">,
): Words[] {
  const all = [{ by, at: createdAt, text }, ...comments];
  return all
    .filter((said) => (trust === "anyone" || said.by.trusted) && said.text.trim() !== "")
    .map(({ by: { name }, at, text: words }) => ({ by: name, at, text: words }));
}

function hasLabel({ labels }: Item, name: string): boolean {
  return labels.some((label) => label.toLowerCase() === name.toLowerCase());
}
