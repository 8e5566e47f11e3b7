import type { AppendixPart } from "../appendix/appendix.ts";
import { list, part, shortList } from "./marks.ts";

/** Says where a part of the appendix stands, once all of them are known. */
export type Where = (place: number) => string;

/** A part of the section that may name a place in the appendix. */
export type Rendered = (where: Where) => string;

/** What the section has no room for. */
export class Aside {
  readonly parts: AppendixPart[] = [];

  /** Returns its place. */
  add(title: string, text: string): number {
    return this.parts.push({ title, text }) - 1;
  }
}

/** A list of which what is too much stands aside. */
export function partWithRest(title: string, items: readonly string[], most: number, aside: Aside): Rendered {
  if (items.length <= most) return () => part(title, list(items));
  const place = aside.add(title, list(items));
  return (where) => part(title, shortList(items, most, `. All of them: ${where(place)}`));
}
