import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { agentEnvironment } from "../simulator/environment.ts";
import { loadScenario } from "../simulator/load.ts";
import { scenarios } from "../simulator/scenarios/index.ts";
import { startSimulator } from "../simulator/server.ts";

export interface SimulateOptions {
  json?: boolean;
  port?: number;
}

export async function simulate(words: string[], options: SimulateOptions): Promise<number> {
  const [name, ...command] = words;
  if (name === undefined) return list(options);
  const scenario = await loadScenario(name);
  await using simulator = await startSimulator(
    scenario,
    options.port === undefined ? {} : { port: options.port },
  );
  const configDir = await mkdtemp(join(tmpdir(), "baton-simulator-"));
  try {
    const env = agentEnvironment(simulator, configDir);
    if (command.length > 0) return await runAgainst(command, env);
    announce(scenario.name, env, options);
    await ended();
    return 0;
  } finally {
    await rm(configDir, { recursive: true, force: true });
  }
}

function list({ json }: SimulateOptions): number {
  const known = Object.values(scenarios).map((make) => make());
  if (json) console.log(JSON.stringify(known.map(({ name, summary }) => ({ name, summary }))));
  else for (const { name, summary } of known) console.log(`${name.padEnd(12)}${summary}`);
  return 0;
}

function announce(name: string, env: Record<string, string>, { json }: SimulateOptions): void {
  if (json) {
    console.log(JSON.stringify({ scenario: name, env }));
    return;
  }
  console.log(`The scripted model "${name}" is at ${env.ANTHROPIC_BASE_URL}. In another terminal:\n`);
  for (const [key, value] of Object.entries(env))
    console.log(`  export ${key}='${value.replaceAll("'", "'\\''")}'`);
  console.log("\nthen start `baton run` or `claude` there. Ctrl-C ends it.");
}

function ended(): Promise<unknown> {
  return Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
}

/** The terminal sends Ctrl-C to the command as well, and its end is the end of this one. */
async function runAgainst([program = "", ...args]: string[], env: Record<string, string>): Promise<number> {
  const ignore = () => {};
  process.on("SIGINT", ignore);
  try {
    const child = spawn(program, args, { stdio: "inherit", env: { ...process.env, ...env } });
    const [code] = await once(child, "exit");
    return typeof code === "number" ? code : 1;
  } catch (error) {
    throw new Error(`${program} could not be started: ${error instanceof Error ? error.message : error}`);
  } finally {
    process.off("SIGINT", ignore);
  }
}
