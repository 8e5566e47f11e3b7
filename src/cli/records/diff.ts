import { findProject } from "../../app/project.ts";
import { type ChangedLines, jobChanges } from "../../app/records/diff.ts";
import { patchInColour } from "../../display/patch.ts";
import { print, printBytes, printError, printJson } from "../../display/print.ts";
import { oneLine, type Paint, paintFor } from "../../display/style.ts";
import { counted } from "../../util/figures.ts";
import { page } from "./page.ts";

export interface DiffOptions {
  config?: string;
  json?: boolean;
  stat?: boolean;
}

/** On a terminal to be read, elsewhere as `git apply` takes it. */
export async function diff(
  id: string | undefined,
  checkpoint: number | undefined,
  options: DiffOptions,
): Promise<number> {
  const changes = await jobChanges(findProject(options), id, checkpoint);
  const { job, from, to, note } = changes;
  if (options.json) {
    printJson({ job, from, to, files: await changes.files(), ...(note && { note }) });
    return 0;
  }
  const paint = paintFor(process.stdout, process.env);
  if (note) printError(paintFor(process.stderr, process.env)("dim", note));
  if (options.stat) {
    const files = await changes.files();
    print(files.length === 0 ? nothing(job) : stat(files, paint));
    return 0;
  }
  const isRead = process.stdout.isTTY === true;
  const patch = await changes.patch(isRead ? [] : ["--binary"]);
  if (patch.length === 0) printError(nothing(job));
  else if (isRead) page(patchInColour(patch.toString("utf8"), paint));
  else printBytes(patch);
  return 0;
}

function nothing(job: string): string {
  return `${job} changed no file.`;
}

function stat(files: readonly ChangedLines[], paint: Paint): string {
  const widest = Math.max(...files.map(({ added, removed }) => counts(added, removed).length));
  const lines = files.map(({ path, added, removed }) => {
    const text = counts(added, removed);
    const painted =
      added === null ? paint("dim", text) : `${paint("green", `+${added}`)} ${paint("red", `-${removed}`)}`;
    return `${" ".repeat(widest - text.length)}${painted}  ${oneLine(path)}`;
  });
  const sum = (of: "added" | "removed") => files.reduce((all, file) => all + (file[of] ?? 0), 0);
  const total = `${counted(files.length, "file")}, +${sum("added")} -${sum("removed")}`;
  return [...lines, paint("dim", total)].join("\n");
}

function counts(added: number | null, removed: number | null): string {
  return added === null ? "binary" : `+${added} -${removed}`;
}
