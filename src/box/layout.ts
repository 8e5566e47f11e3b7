/** What stands inside a box, at the same paths as outside unless `source` says otherwise. */
export interface Mount {
  source: string;
  target: string;
  readOnly: boolean;
}

export interface Layout {
  mounts: readonly Mount[];
  /** Folders in memory, with the engine's own options behind a colon. */
  memory: readonly string[];
}

export type Place = { kind: "mount"; mount: Mount } | { kind: "memory"; path: string; options: string };

/** All of it in the order in which it must be put there: what is deeper lies on top, and of two at one place the later. */
export function placesIn({ mounts, memory }: Layout): Place[] {
  const places = new Map<string, Place>();
  for (const written of memory) {
    const [path = "", options = ""] = written.split(":");
    places.set(path, { kind: "memory", path, options });
  }
  for (const mount of mounts) places.set(mount.target, { kind: "mount", mount });
  return [...places].sort(([a], [b]) => depthOf(a) - depthOf(b)).map(([, place]) => place);
}

function depthOf(path: string): number {
  return path.split("/").filter(Boolean).length;
}

export const readable = (path: string): Mount => ({ source: path, target: path, readOnly: true });
export const writable = (path: string): Mount => ({ source: path, target: path, readOnly: false });
