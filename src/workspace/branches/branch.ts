import { createHash } from "node:crypto";
import { StringDecoder } from "node:string_decoder";
import { withoutEnding } from "../../util/text.ts";

/** What a branch is named after. */
interface Namesakes {
  agent: string;
  jobId: string;
  date: Date;
  workItem?: string;
  schedule?: string;
}

const VALUE_BYTES = 60;
/** With a number behind it, and git's `.lock`, a name must still fit into one of 255 bytes. */
const BRANCH_BYTES = 180;

/** What git takes for something else than the name of a branch. */
const RESERVED = ["HEAD", "@"];

/** Letters, marks and digits of any script; nothing that cannot be seen. */
const NOT_IN_VALUES = /[^[\p{L}\p{M}\p{N}._]--\p{Default_Ignorable_Code_Point}]+/gv;
const REFUSED_BY_GIT = /[\p{Cc}\p{Cs} ~^:?*\[\\\{\}]+/gv;

/**
 * The branch of a job. Values are data: whatever they hold, the result is a valid name, and two values share one only
 * where they differ by a space for a dash. On disks that do not tell capitals apart, two names that differ by nothing
 * else would be one; so no two values have such names. What follows `--` in a value's part is Baton's own.
 */
export function branchName(pattern: string, of: Namesakes): string {
  const date = of.date.toISOString().slice(0, 10);
  const schedule = of.schedule ? slug(of.schedule) : "";
  const ownName = `job-${slug(of.jobId.split("-").at(-1) || of.jobId)}`;
  const values = new Map([
    // No two agents of a project have such names.
    ["agent", slug(of.agent, "any case")],
    ["jobId", slug(of.jobId)],
    ["date", date],
    ["scheduleName", schedule],
    ["workItem", of.workItem ? slug(of.workItem) : schedule ? `${schedule}/${date}` : ownName],
  ]);
  const filled = pattern.replace(/\{(\w+)\}/g, (written, name) => values.get(name) ?? written);
  const branch = filled.split("/").map(component).filter(Boolean).join("/") || ownName;
  if (Buffer.byteLength(branch) <= BRANCH_BYTES && !RESERVED.includes(branch)) return branch;
  return withHash(withoutEnding(beginning(branch, BRANCH_BYTES), "./-"), branch);
}

/** Another name for the same work, that no other work can have. */
export function withSuffix(branch: string, n: number): string {
  return `${branch}--${n}`;
}

/** One part of a path, so that `a` and `a/b` are not a file and a folder of one name. */
function slug(value: string, as: "any case" | "one case" = "one case"): string {
  const words = value.normalize("NFC").replace(NOT_IN_VALUES, "-");
  const kept = component(beginning(component(words), VALUE_BYTES));
  const isWhole = kept !== "" && kept === value.replaceAll(" ", "-");
  const isPlain = as === "any case" || kept === inUsualCase(kept);
  return isWhole && isPlain ? kept : withHash(kept || "x", value);
}

/** As trackers write their keys, in capitals; anything else in small letters. */
function inUsualCase(value: string): string {
  return /^[a-z][a-z0-9]*-\d+$/i.test(value) ? value.toUpperCase() : [...value].map(folded).join("");
}

/** Letter by letter, as disks do it: ß stays what it is. */
function folded(letter: string): string {
  const capital = letter.toUpperCase();
  return capital.length === letter.length ? capital.toLowerCase() : letter;
}

function component(text: string): string {
  const allowed = text
    .replace(REFUSED_BY_GIT, "-")
    .replace(/\.{2,}/g, ".")
    .replace(/^[.-]+/, "");
  return withoutEnding(allowed, ".-").replace(/\.lock$/i, "-lock");
}

function beginning(text: string, bytes: number): string {
  return new StringDecoder("utf8").write(Buffer.from(text).subarray(0, bytes));
}

function withHash(name: string, of: string): string {
  const hash = createHash("sha256").update(of, "utf16le").digest("hex").slice(0, 8);
  return `${name}--${hash}`;
}
