import { join, relative, sep } from "node:path";
import { placeOfFile } from "../files/place-of-file.ts";
import { redactor } from "../secrets/redact.ts";
import type { Trusted, TrustedPart } from "./record.ts";
import type { RepositoryFile } from "./repository-file.ts";

/** A work tree and the main one of its repository, both without links. They are the same but for a linked worktree. */
export interface Checkout {
  top: string;
  main: string;
}

/** A file that acts and that the user has not agreed to as it stands. */
export interface UntrustedFile {
  path: string;
  place: string;
  /** What to record of it once the user agrees; undefined where nobody can: see `why`. */
  present: TrustedPart | undefined;
  why?: string;
  /** What the user agreed to before. */
  earlier?: string;
}

/** All of a file, which has no parts. */
const WHOLE = "";
const LONGEST_SHOWN = 20_000;

/**
 * Where trust in a file is kept: for every worktree of a repository in one place, so that a new one needs no new answer.
 * What is trusted is still the content, which is another on another branch.
 */
function trustPlaceOf(file: string, checkout: Checkout | undefined): string {
  if (checkout && file.startsWith(checkout.top + sep)) {
    return join(checkout.main, relative(checkout.top, file));
  }
  return placeOfFile(file);
}

export function notTrusted(
  files: readonly RepositoryFile[],
  trusted: Trusted,
  checkout: Checkout | undefined,
): UntrustedFile[] {
  return files.flatMap((file): UntrustedFile[] => {
    const place = trustPlaceOf(file.file, checkout);
    const known = Object.hasOwn(trusted, place) ? trusted[place]?.parts[WHOLE] : undefined;
    if (file.kind === "file" && known?.digest === file.digest) return [];
    const earlier = known && { earlier: known.shown };
    if (file.kind === "unfit")
      return [{ path: file.path, place, present: undefined, why: file.why, ...earlier }];
    return [
      { path: file.path, place, present: { digest: file.digest, shown: shown(file.text) }, ...earlier },
    ];
  });
}

/** What `recordTrust` takes, of all that somebody can agree to. */
export function agreedTo(files: readonly UntrustedFile[]): Record<string, Record<string, TrustedPart>> {
  return Object.fromEntries(
    files.flatMap(({ place, present }) => (present ? [[place, { [WHOLE]: present }]] : [])),
  );
}

const redact = redactor({});

function shown(text: string): string {
  const clean = redact(text);
  const more = clean.length - LONGEST_SHOWN;
  return more <= 0 ? clean : `${clean.slice(0, LONGEST_SHOWN)}\n(${more} more characters)`;
}
