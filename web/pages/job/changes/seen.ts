/** What this browser has seen of a job's changes. It is nobody else's business, so the server does not know. */
interface Look {
  /** The newest checkpoint then. */
  checkpoint: number;
  at: string;
}

/** When the changes were last looked at, before this look. */
export function lastLook(job: string): Look | undefined {
  return read<Look>(`baton.looked.${job}`);
}

export function looked(job: string, look: Look): void {
  localStorage.setItem(`baton.looked.${job}`, JSON.stringify(look));
}

/** The digests of the changes that a person has marked as viewed, by file: a file that changed since is not viewed. */
export function viewedIn(job: string): Record<string, string> {
  return read<Record<string, string>>(`baton.viewed.${job}`) ?? {};
}

export function setViewed(job: string, file: string, digest: string | undefined): Record<string, string> {
  const { [file]: _, ...others } = viewedIn(job);
  const next = digest === undefined ? others : { ...others, [file]: digest };
  localStorage.setItem(`baton.viewed.${job}`, JSON.stringify(next));
  return next;
}

function read<T>(place: string): T | undefined {
  try {
    return JSON.parse(localStorage.getItem(place) ?? "null") ?? undefined;
  } catch {
    return undefined;
  }
}

/** Of a patch: enough to see that it is another. */
export function digestOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0;
  }
  return `${text.length} ${hash.toString(36)}`;
}
