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
import { print, printJson, printWords } from "../../display/print.ts";
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

const BY_CODEX =
  "It runs on your own codex (runtime: codex), because Claude Code is not signed in here. To run it on Claude Code, sign in there or set an API key, and leave runtime out.";

/** Asks on a terminal for what the options leave open; elsewhere takes what Enter would give. */
export async function init(options: InitOptions): Promise<number> {
  const path = resolve(options.config ?? "baton.yaml");
  if (existsSync(path) && !options.force) {
    throw new UsageError(`${path} exists already. Edit it, or replace it with \`baton init --force\`.`);
  }
  refuseContradictions(options);
  const { runtime, missing } = await runtimeHere();
  const engine = options.may === "container" ? await engineHere() : undefined;
  const given = answersIn({ ...options, ...(runtime && { runtime }), ...(engine && { engine }) }, path);
  const wrong = await objectionTo(given, path);
  if (wrong !== undefined) throw new UsageError(wrong);
  const asks = process.stdin.isTTY && process.stdout.isTTY && !options.json && !options.yes;
  const answers = asks
    ? answersIn({ ...options, ...(await askedOf(options, path)), ...(runtime && { runtime }) }, path)
    : given;
  await writeInitial(answers, path);
  const { name, permissionMode, tests } = answers;
  if (options.json)
    printJson({ path, permissionMode, ...(tests !== undefined && { tests }), ...(runtime && { runtime }) });
  else {
    printWords(`Wrote ${path}\n${oneLine(name)} ${inWords(answers)}.`);
    if (runtime === "claude-cli") printWords(BY_PLAN);
    if (missing !== undefined)
      print(wrapped(`It cannot start yet. ${missing}`, tableWidth(process.stdout)).join("\n"));
    if (runtime === "codex") print(wrapped(BY_CODEX, tableWidth(process.stdout)).join("\n"));
    // The simulator is in Codex's settings or nowhere.
    const canTry =
      runtime !== "codex" && (permissionMode === "acceptEdits" || permissionMode === "bypassPermissions");
    printWords(canTry ? "\nTry it without an account, then start a job:" : "\nStart a job:");
    if (canTry) print(`  baton simulate first-job -- baton run ${name} "what to do"`);
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
function answersIn(options: InitOptions & Pick<InitialAnswers, "runtime">, path: string): InitialAnswers {
  const { name = "coder", model, directory, permissionMode, runtime } = options;
  const what = {
    name,
    ...(runtime && { runtime }),
    ...(model && { model }),
    ...(directory && { directory }),
  };
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
