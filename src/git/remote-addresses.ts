import { askGit } from "./git.ts";

interface Addresses {
  read?: string;
  write?: string;
}

/** The first of each, as git uses them, in its list of all. */
export async function addressesOf({ root, remote }: { root: string; remote: string }): Promise<Addresses> {
  const addresses: Addresses = {};
  for (const line of ((await askGit(root, ["remote", "--verbose"])) ?? "").split("\n")) {
    const [name, rest = ""] = line.split("\t");
    const [, address, way] = /^(.*) \((fetch|push)\)/.exec(rest) ?? [];
    if (name !== remote || address === undefined) continue;
    if (way === "fetch") addresses.read ??= address;
    else addresses.write ??= address;
  }
  return addresses;
}

/** Where what is pushed can be read: elsewhere than one reads otherwise, where the user set `pushurl`. */
export function placeToPush(remote: string, { read, write }: Addresses): string {
  return write === undefined || write === read ? remote : write;
}
