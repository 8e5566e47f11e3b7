import type { ServedProject } from "./projects.ts";

/** How far somebody has read in the journal of each project, by its key. */
export type Position = ReadonlyMap<string, number>;

const FORM = /^([\w-]+)-(\d{1,15})$/;

/** `key-17,other-3`: what a stream sends as its `id`. */
export function written(position: Position): string {
  return [...position].map(([key, id]) => `${key}-${id}`).join(",");
}

/** What it says of these projects; the others begin where they are now. Undefined for what is no position. */
export function positionIn(
  text: string,
  projects: readonly Pick<ServedProject, "key">[],
): Map<string, number> | undefined {
  const position = new Map<string, number>();
  for (const part of text.split(",")) {
    const [, key, id] = FORM.exec(part) ?? [];
    if (key === undefined || id === undefined) return undefined;
    if (projects.some((project) => project.key === key)) position.set(key, Number(id));
  }
  return position;
}
