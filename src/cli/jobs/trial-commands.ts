import type { Command } from "commander";
import { command, examples, wholeNumber } from "../command.ts";

export function addDemo(baton: Command): void {
  const demo = command(baton, "demo", "run the real agent on a scripted model, over three windows")
    .option("--fleet", "run six agents at once instead, through three slots")
    .action(async function (this: Command) {
      const { fleet, ...options } = this.optsWithGlobals<{ fleet?: boolean; json?: boolean }>();
      const { demo } = fleet
        ? { demo: (await import("../fleet/demo.ts")).demoFleet }
        : await import("./demo.ts");
      process.exitCode = await demo(options);
    });
  examples(
    demo,
    `  $ baton demo            in a folder of its own; needs no account, and takes about 20 seconds
  $ baton demo --fleet    six agents, a schedule, a usage limit and a failure`,
  );
}

export function addSimulate(baton: Command): void {
  const simulate = command(
    baton,
    "simulate [scenario] [command...]",
    "serve a scripted model to the real agent, at no cost",
  )
    .option("--port <port>", "listen on this port", wholeNumber(1, 65_535))
    .option("--keep", "keep the agent's sessions in .baton/simulator, so that a job can be resumed")
    .action(async function (this: Command) {
      const { simulate } = await import("./simulate.ts");
      process.exitCode = await simulate(this.args, this.optsWithGlobals());
    });
  examples(
    simulate,
    `  $ baton simulate                             list the scenarios
  $ baton simulate steady                      serve one until Ctrl-C, and print what to set
  $ baton simulate steady -- baton run "Go"    try your configuration without paying
  $ baton simulate steady --keep -- baton resume    a job of an earlier run with --keep
  $ baton simulate ./my-scenario.ts -- claude  with a scenario of your own`,
  );
}
