import { spawn } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { constants } from "node:os";
import { findProject } from "../../app/project.ts";
import { scratchFolder, simulatorFolder } from "../../app/scratch.ts";
import { UsageError } from "../../app/usage-error.ts";
import { folded, screenWidth } from "../../display/fold.ts";
import { shortPath } from "../../display/path.ts";
import { print, printError, printJson, printWords } from "../../display/print.ts";
import { agentEnvironment, skipWelcome } from "../../simulator/environment.ts";
import { loadScenario } from "../../simulator/load.ts";
import { scenarios } from "../../simulator/scenarios/index.ts";
import { startSimulator } from "../../simulator/server.ts";
import { messageOf } from "../../util/errors.ts";
import { SIMULATE_VARIABLE } from "../../util/simulate-variable.ts";

export interface SimulateOptions {
  json?: boolean;
  port?: number;
  keep?: boolean;
  config?: string;
}

const ENDING_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

export async function simulate(words: string[], options: SimulateOptions): Promise<number> {
  const [name, ...command] = words;
  if (name === undefined) return list(options);
  const scenario = await loadScenario(name);
  await using simulator = await startSimulator(scenario, {
    keep: 1,
    ...(options.port !== undefined && { port: options.port }),
  });
  const configDir = options.keep ? simulatorFolder(findProject(options)) : scratchFolder("simulator");
  try {
    await skipWelcome(configDir);
    const env = agentEnvironment(simulator, configDir, scenario.account);
    const again = `baton simulate ${name}${options.keep ? " --keep" : ""}`;
    if (command.length > 0) return await runAgainst(command, { ...env, [SIMULATE_VARIABLE]: again });
    const ended = Promise.race(ENDING_SIGNALS.map((signal) => once(process, signal)));
    announce(scenario.name, simulator.url, env, options);
    await ended;
    return 0;
  } finally {
    if (options.keep) sayKept(configDir, options);
    else await rm(configDir, { recursive: true, force: true, maxRetries: 5 });
  }
}

function sayKept(folder: string, { json }: SimulateOptions): void {
  if (!json) printError(`The sessions of this run are kept in ${shortPath(folder)}.`);
}

function list({ json }: SimulateOptions): number {
  const known = Object.values(scenarios).map((make) => make());
  if (json) printJson(known.map(({ name, summary }) => ({ name, summary })));
  else
    for (const { name, summary } of known)
      print(folded(`${name.padEnd(12)}${summary}`, screenWidth(process.stdout), 12));
  return 0;
}

function announce(name: string, url: string, env: Record<string, string>, { json }: SimulateOptions): void {
  if (json) {
    printJson({ scenario: name, env });
    return;
  }
  printWords(`The scripted model "${name}" is at ${url}. In another terminal:\n`);
  for (const [key, value] of Object.entries(env))
    print(`  export ${key}='${value.replaceAll("'", "'\\''")}'`);
  printWords("\nthen start `baton run` or `claude` there. Ctrl-C ends the simulator.");
}

/** Ends with the command, and as it ended. */
async function runAgainst([program = "", ...args]: string[], env: Record<string, string>): Promise<number> {
  const child = spawn(program, args, { stdio: "inherit", env: { ...process.env, ...env } });
  // The terminal sends Ctrl-C to the command as well; the other signals reach this process alone.
  const pass = (signal: NodeJS.Signals) => signal === "SIGINT" || child.kill(signal);
  for (const signal of ENDING_SIGNALS) process.on(signal, pass);
  try {
    const [code, signal] = await once(child, "exit");
    return typeof code === "number" ? code : 128 + signalNumber(signal);
  } catch (error) {
    const why = messageOf(error);
    throw new UsageError(`${program} could not be started: ${why}`);
  } finally {
    for (const signal of ENDING_SIGNALS) process.off(signal, pass);
  }
}

function signalNumber(signal: unknown): number {
  return Object.entries(constants.signals).find(([name]) => name === signal)?.[1] ?? 0;
}
