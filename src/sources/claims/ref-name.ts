import { createHash } from "node:crypto";

const CLAIMS = "refs/baton/claims";

/** A component of a path has at most 255 bytes in the file systems that refs may lie in, and a lock adds five. */
const MOST_CHARACTERS = 180;

/** Where the claim of an item stands. Two items never share a name, whatever they are called. */
export function claimRef(source: string, item: string): string {
  return `${claimRefs(source)}/${component(item)}`;
}

/** Below which the claims of a source stand. */
export function claimRefs(source: string): string {
  return `${CLAIMS}/${component(source)}`;
}

/** Git takes no ref with spaces, `..`, `.lock` and much more in it, and a slash would make one name a folder of another. */
function component(name: string): string {
  const safe = name.replace(/[^A-Za-z0-9_-]/gu, (character) =>
    Buffer.from(character).toString("hex").replace(/../g, "=$&"),
  );
  if (safe.length <= MOST_CHARACTERS && safe !== "") return safe;
  return `==${createHash("sha256").update(name).digest("hex")}`;
}
