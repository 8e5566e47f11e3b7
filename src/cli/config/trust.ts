import { findProject, type Project, storePath } from "../../app/project.ts";
import { trustCommand } from "../../app/trust/gate.ts";
import { refuseInsideAgent } from "../../app/trust/person.ts";
import {
  agreeTo,
  isSettled,
  type Review,
  reviewOf,
  trustedFiles,
  trustNoMore,
} from "../../app/trust/review.ts";
import { UsageError } from "../../app/usage-error.ts";
import { shortPath } from "../../display/path.ts";
import { print, printJson, printWords } from "../../display/print.ts";
import { counted } from "../../util/figures.ts";
import { BrokenOffError } from "../exit.ts";
import { saysYes } from "./agree.ts";
import { reviewText } from "./review-text.ts";

export interface TrustOptions {
  config?: string;
  json?: boolean;
  list?: boolean;
  remove?: boolean;
  yes?: boolean;
}

export async function trust(options: TrustOptions): Promise<number> {
  if (options.list) return list(options);
  const project = findProject(options);
  if (options.remove) return remove(project, options);
  const review = await reviewOf(project);
  if (isSettled(review)) return nothing(options);
  await refuseInsideAgent();
  if (options.json) return inJson(review, project, options);
  print(reviewText(review));
  if (!options.yes) await confirm(project);
  await agreeTo(project, review);
  printWords("Trusted as it is now. Baton asks again about what changes.");
  return 0;
}

function nothing({ json }: TrustOptions): number {
  if (json) printJson({ trusted: [] });
  else printWords("There is nothing to trust: you have agreed to everything that these files do.");
  return 0;
}

async function confirm({ configPath }: Project): Promise<void> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) {
    throw new UsageError(
      `Nothing was trusted: there is no terminal to ask you on. If you have reviewed all of it: ${trustCommand(configPath)} --yes`,
    );
  }
  if (!(await saysYes("Trust exactly this? [y/N] "))) throw new BrokenOffError("Nothing was trusted.");
}

async function inJson(review: Review, project: Project, { yes }: TrustOptions): Promise<number> {
  const found = [
    ...review.parts.map(({ file, line, key, shown, trust }) => ({ file, line, key, shown, ...trust })),
    ...review.files.map(({ path, by, shown, trust }) => ({ file: path, by: by.key, shown, ...trust })),
    ...review.state.map(({ reason }) => ({ file: storePath(project.root), why: reason, state: "foreign" })),
    ...review.agentFiles.map(({ path, present, why, earlier }) => ({
      file: path,
      ...(present ? { shown: present.shown } : { why }),
      state: earlier === undefined ? "new" : "changed",
      ...(earlier !== undefined && { earlier }),
    })),
  ];
  if (!yes) {
    printJson({ waiting: found });
    throw new UsageError(
      `Nothing was trusted. If you have reviewed all of it: ${trustCommand(project.configPath)} --json --yes`,
    );
  }
  await agreeTo(project, review);
  printJson({ trusted: found });
  return 0;
}

async function remove(project: Project, options: TrustOptions): Promise<number> {
  const removed = await trustNoMore(project);
  if (options.json) printJson({ removed });
  else if (removed.length === 0) printWords("Nothing here was trusted.");
  else printWords(removed.map((file) => `${shortPath(file)} is no longer trusted.`).join("\n"));
  return 0;
}

function list(options: TrustOptions): number {
  const trusted = trustedFiles();
  if (options.json) printJson(trusted);
  else if (trusted.length === 0) printWords("You have trusted nothing yet.");
  for (const { file, at, keys } of options.json ? [] : trusted) {
    const what = keys.length > 0 ? counted(keys.length, "key") : "the whole file";
    printWords(`${shortPath(file)}  ${what}, since ${at.slice(0, 10)}`);
  }
  return 0;
}
