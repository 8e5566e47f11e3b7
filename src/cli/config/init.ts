import { existsSync } from "node:fs";
import { resolve } from "node:path";
import {
  engineHere,
  type InitialAnswers,
  objectionTo,
  runtimeHere,
  testsFor,
  writeInitial,
} from "../../app/config/init.ts";
import { UsageError } from "../../app/usage-error.ts";
import { print, printJson } from "../../display/print.ts";
import { oneLine } from "../../display/style.ts";
import { tableWidth } from "../../display/table.ts";
import { wrapped } from "../../display/width.ts";
import { type Asked, askedOf } from "./init-questions.ts";
import { granted, inWords, isMay, MAY, type May } from "./may.ts";

export interface InitOptions extends Partial<Asked> {
  permissionMode?: string;
  config?: string;
  force?: boolean;
  yes?: boolean;
  json?: boolean;
}

const BY_PLAN = `It runs on your own claude (runtime: claude-cli), because you are signed in with a Claude plan: Claude Code's terms ask programs
that are built on the Agent SDK to use API keys, while you may sign in to the unmodified program yourself.`;

/** Asks on a terminal for what the options leave open; elsewhere takes what Enter would give. */
export async function init(options: InitOptions): Promise<number> {
  const path = resolve(options.config ?? "baton.yaml");
  if (existsSync(path) && !options.force) {
    throw new UsageError(`${path} exists already. Edit it, or replace it with \`baton init --force\`.`);
  }
  refuseContradictions(options);
  const engine = options.may === "container" ? await engineHere() : undefined;
  const given = answersIn({ ...options, ...(engine && { engine }) }, path);
  const wrong = await objectionTo(given, path);
  if (wrong !== undefined) throw new UsageError(wrong);
  const asks = process.stdin.isTTY && process.stdout.isTTY && !options.json && !options.yes;
  const answers = asks ? answersIn({ ...options, ...(await askedOf(options, path)) }, path) : given;
  const runtime = await runtimeHere();
  await writeInitial({ ...answers, ...(runtime && { runtime }) }, path);
  const { name, permissionMode, tests } = answers;
  if (options.json)
    printJson({ path, permissionMode, ...(tests !== undefined && { tests }), ...(runtime && { runtime }) });
  else {
    print(`Wrote ${path}\n${oneLine(name)} ${inWords(answers)}.`);
    if (runtime) print(BY_PLAN);
    const writes = permissionMode === "acceptEdits" || permissionMode === "bypassPermissions";
    print(writes ? "\nTry it without an account, then start a job:" : "\nStart a job:");
    if (writes) print(`  baton simulate first-job -- baton run ${name} "what to do"`);
    print(`  baton run ${name} "what to do"`);
    const night = "For overnight jobs, raise session.max_handoffs_per_job to 20 or so, and set limits.";
    print(`\n${wrapped(night, tableWidth(process.stdout)).join("\n")}`);
  }
  return 0;
}

function refuseContradictions({ may, tests, permissionMode }: InitOptions): void {
  if (permissionMode !== undefined && (may !== undefined || tests !== undefined)) {
    throw new UsageError("--permission-mode says what the agent may do. Leave out --may and --tests.");
  }
  if (may !== undefined && !isMay(may)) {
    throw new UsageError(`--may is one of ${MAY.join(", ")}.`);
  }
  if (tests !== undefined && may !== undefined && may !== "tests") {
    throw new UsageError("--tests sets the command for `--may tests`. Leave out one of them.");
  }
}

const NO_ENGINE =
  "Nothing here can make a container: install bubblewrap, podman or docker. `baton doctor` tries them.";

/** As Enter would answer what the options leave open. */
function answersIn(options: InitOptions, path: string): InitialAnswers {
  const { name = "coder", model, directory, permissionMode } = options;
  const what = { name, ...(model && { model }), ...(directory && { directory }) };
  if (permissionMode !== undefined) return { ...what, permissionMode };
  const tests = options.tests ?? testsFor(what, path);
  const may: May = options.may ?? (tests === undefined ? "edits" : "tests");
  if (may === "tests" && tests === undefined) {
    throw new UsageError("No tests were found here. Say how to run them: --tests <command>");
  }
  if (may === "container" && options.engine === undefined) throw new UsageError(NO_ENGINE);
  if (may === "container" && options.engine !== "bwrap" && options.image === undefined) {
    throw new UsageError(
      `${options.engine} needs an image: --image <name>. docs/containers.md has a Dockerfile.`,
    );
  }
  const { engine, image } = options;
  return { ...what, ...granted(may, tests, engine && { engine, ...(image !== undefined && { image }) }) };
}
