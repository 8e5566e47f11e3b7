import { StoreError, type StoreProblem } from "../errors.ts";

/** The typed error for what SQLite or the file system reported; anything else comes back as it is. */
export function storeError(error: unknown, path: string): unknown {
  if (!(error instanceof Error && "code" in error && typeof error.code === "string")) return error;
  const problem = problemOf(error.code);
  return problem === undefined ? error : new StoreError(problem, path, error);
}

function problemOf(code: string): StoreProblem | undefined {
  if (/^SQLITE_(BUSY|LOCKED)/.test(code)) return "locked";
  if (/^(SQLITE_READONLY|EACCES$|EPERM$|EROFS$)/.test(code)) return "read-only";
  if (/^(SQLITE_FULL|ENOSPC$|EDQUOT$)/.test(code)) return "full";
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code)) return "damaged";
  if (/^(SQLITE_(CANTOPEN|IOERR|PERM|AUTH)|ENOTDIR$|EISDIR$|EEXIST$|ENOENT$|EIO$)/.test(code))
    return "unusable";
  return undefined;
}
