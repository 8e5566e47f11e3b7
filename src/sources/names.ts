import type { Item, Source } from "./source.ts";

type Named = Pick<Source, "kind" | "name">;

/**
 * What an item is called beside those of other trackers of the same project. Undefined where its id says it all: issues of Linear
 * have their team in it, and those of each repository on GitHub are counted from 1.
 */
export function nameAmong(all: readonly Named[], { kind, name }: Named, { id }: Item): string | undefined {
  const others = all.filter((other) => other.kind === kind && other.name !== name);
  if (kind !== "github" || others.length === 0) return undefined;
  const isOnly = others.every((other) => repositoryIn(other.name) !== repositoryIn(name));
  return `${isOnly ? repositoryIn(name) : name.slice(name.indexOf(":") + 1)}-${id}`;
}

const repositoryIn = (name: string) => name.slice(name.lastIndexOf("/") + 1);
