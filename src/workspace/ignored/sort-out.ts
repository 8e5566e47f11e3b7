import type { NamedIgnored } from "../workspace.ts";
import type { IgnoredFile } from "./find.ts";

/** Where an ignored file goes when its worktree does. `nowhere`: with the worktree, for the reason that is given. */
type Destination =
  | { to: "project"; instead?: string }
  | { to: "checkpoint" }
  | { to: "nowhere"; why: string };

export type SortedFile = IgnoredFile & Destination;

/** Of one file. */
export const MOST_BYTES = 1024 * 1024;
const MOST_BYTES_TOGETHER = 4 * 1024 * 1024;

/** Names of files that hold secrets whatever stands in them. */
const OF_SECRETS =
  /^\.env(?:\..+)?$|^\.envrc$|^\.netrc$|^\.npmrc$|^\.pypirc$|^\.pgpass$|^\.htpasswd$|^id_(?:rsa|dsa|ecdsa|ed25519)$|\.(?:pem|key|p12|pfx|jks|keystore|kdbx|ppk)$|credentials?|secrets?(?:\.|$)/i;

/** The small ones that a checkpoint can hold, smallest first; what is in them is not known yet. */
export function smallOnes(files: readonly IgnoredFile[]): IgnoredFile[] {
  let together = 0;
  return [...files]
    .sort((a, b) => a.bytes - b.bytes)
    .filter((file) => {
      if (whyNot(file) !== undefined || together + file.bytes > MOST_BYTES_TOGETHER) return false;
      together += file.bytes;
      return true;
    });
}

/** `hasSecret`: of those among the small ones. */
export function sortOut(
  files: readonly IgnoredFile[],
  brought: ReadonlyMap<string, { instead?: string }>,
  hasSecret: ReadonlySet<string>,
): SortedFile[] {
  const rest = files.filter(({ path }) => !brought.has(path));
  const small = new Set(smallOnes(rest).map(({ path }) => path));
  return files.map((file) => ({ ...file, ...destination(file) }));

  function destination(file: IgnoredFile): Destination {
    const { path } = file;
    const back = brought.get(path);
    if (back) return { to: "project", ...back };
    if (hasSecret.has(path)) return { to: "nowhere", why: "holds secrets" };
    if (small.has(path)) return { to: "checkpoint" };
    return { to: "nowhere", why: whyNot(file) ?? "is too much beside the others" };
  }
}

function whyNot({ path, bytes, embedded }: IgnoredFile): string | undefined {
  if (embedded) return "is in a repository of its own";
  if (OF_SECRETS.test(path.split("/").at(-1) ?? "")) return "holds secrets";
  return bytes > MOST_BYTES ? "is too large for a checkpoint" : undefined;
}

/** What people are told: a folder that is ignored as a whole counts as one. */
export function named(sorted: readonly SortedFile[]): NamedIgnored[] {
  const groups = new Map<string, NamedIgnored>();
  for (const { path, within, bytes, ...where } of sorted) {
    const { to } = where;
    const why = where.to === "nowhere" ? where.why : undefined;
    const instead = where.to === "project" ? where.instead : undefined;
    const key = instead === undefined ? `${within}\0${to}\0${why}` : path;
    const group = groups.get(key) ?? {
      path: instead === undefined ? within : path,
      files: 0,
      bytes: 0,
      to,
      ...(why !== undefined && { why }),
      ...(instead !== undefined && { instead }),
    };
    groups.set(key, { ...group, files: group.files + 1, bytes: group.bytes + bytes });
  }
  return [...groups.values()];
}
