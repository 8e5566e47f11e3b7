import type { Command } from "commander";
import { command, examples } from "../command.ts";

export function addInit(baton: Command): void {
  const init = command(baton, "init", "write a commented baton.yaml")
    .option("--name <agent>", "name of the agent")
    .option("--model <model>", "its model")
    .option("--directory <folder>", "where it works")
    .option("--may <what>", "what it may do: nothing, edits, tests, everything or container")
    .option("--image <name>", "for --may container, with podman or docker: the image")
    .option("--tests <command>", "the command that runs the tests (default: found in the project)")
    .option("--permission-mode <mode>", "the same as a Claude Code permission mode, instead of --may")
    .option("-y, --yes", "ask nothing: accept every suggested answer")
    .option("--force", "replace an existing baton.yaml")
    .action(async function (this: Command) {
      const { init } = await import("./init.ts");
      process.exitCode = await init(this.optsWithGlobals());
    });
  examples(
    init,
    `  $ baton init                          asks for what you leave out
  $ baton init -y                       asks nothing
  $ baton init --may edits              it may edit files, and run nothing
  $ baton init --tests "make check"     it may edit files, and run make check`,
  );
}

export function addConfig(baton: Command): void {
  const config = command(baton, "config", "check, show and describe the configuration");
  examples(
    config,
    `  $ baton config check                   what is wrong with it, all at once
  $ baton config show coder              every value of an agent, and where it was set
  $ baton config schema > schema.json    for an editor`,
  );
  const check = command(config, "check [file]", "say what is wrong with the configuration, all at once")
    .option("--online", "also ask the trackers and remotes that it names whether Baton may read and write")
    .action(async function (this: Command, file: string | undefined) {
      const { configCheck } = await import("./check.ts");
      process.exitCode = await configCheck(file, this.optsWithGlobals());
    });
  examples(
    check,
    `  $ baton config check               the nearest baton.yaml
  $ baton config check other.yaml    another file
  $ baton config check --online      and ask GitHub and git about work_source`,
  );
  const show = command(config, "show [agent]", "show every value in effect, and where it was set").action(
    async function (this: Command, agent: string | undefined) {
      const { configShow } = await import("./show.ts");
      process.exitCode = await configShow(agent, this.optsWithGlobals());
    },
  );
  examples(
    show,
    `  $ baton config show          of all agents
  $ baton config show coder    of one`,
  );
  const schema = command(config, "schema", "print the JSON Schema of baton.yaml, for editors").action(
    async () => {
      const { printConfigSchema } = await import("./schema.ts");
      process.exitCode = await printConfigSchema();
    },
  );
  examples(schema, "  $ baton config schema > schema.json");

  const trust = command(baton, "trust", "see what this project would do, and agree to it")
    .option("--yes", "agree without being asked, after you have reviewed everything")
    .option("--list", "list what you trust")
    .option("--remove", "stop trusting this project")
    .action(async function (this: Command) {
      const { trust } = await import("./trust.ts");
      process.exitCode = await trust(this.optsWithGlobals());
    });
  examples(
    trust,
    `  $ baton trust             shows what you have not agreed to, and asks; when that changes, you are asked again
  $ baton trust --yes       without a terminal, for example in CI
  $ baton trust --list      every file that you trust
  $ baton trust --remove    take it back`,
  );
}
