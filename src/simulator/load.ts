import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { z } from "zod";
import type { SimulatedRequest } from "./request.ts";
import type { Reply, Scenario } from "./scenario.ts";
import { scenarios } from "./scenarios/index.ts";

export class ScenarioError extends Error {
  override readonly name = "ScenarioError";
}

const fault = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("rate-limit"), retryAfterSeconds: z.number().exactOptional() }),
  z.strictObject({
    kind: z.literal("usage-limit"),
    resetsAt: z.number(),
    claim: z.enum(["five_hour", "seven_day"]).exactOptional(),
  }),
  z.strictObject({ kind: z.literal("no-credit") }),
  z.strictObject({ kind: z.literal("unauthorized") }),
  z.strictObject({ kind: z.literal("too-large") }),
  z.strictObject({ kind: z.literal("server-error") }),
  z.strictObject({ kind: z.literal("overloaded") }),
  z.strictObject({ kind: z.literal("stall"), at: z.enum(["start", "middle"]) }),
  z.strictObject({ kind: z.literal("no-usage") }),
  z.strictObject({ kind: z.literal("drop") }),
  z.strictObject({ kind: z.literal("empty") }),
]);
const call = z.strictObject({ tool: z.string(), input: z.record(z.string(), z.unknown()) });
const reply = z.strictObject({
  say: z.string().exactOptional(),
  think: z.string().exactOptional(),
  call: z.union([call, z.array(call)]).exactOptional(),
  fault: fault.exactOptional(),
  limitNear: z.number().exactOptional(),
  delayMs: z.number().nonnegative().exactOptional(),
});
const step = z.union([reply, functionOf<(request: SimulatedRequest) => Reply | Promise<Reply>>()]);
const rule = z.strictObject({
  when: functionOf<(request: SimulatedRequest) => boolean>(),
  reply: step,
  times: z.number().int().positive().exactOptional(),
});
const scenario: z.ZodType<Scenario> = z.strictObject({
  name: z.string(),
  summary: z.string(),
  factor: z.number().positive().exactOptional(),
  window: z.number().int().positive().exactOptional(),
  cache: z.boolean().exactOptional(),
  rules: z.array(rule).exactOptional(),
  steps: z.array(step).exactOptional(),
  otherwise: step.exactOptional(),
});

/** A scenario that comes with Baton, by its name, or the user's own, by the path of the file that exports it as default. */
export async function loadScenario(nameOrPath: string, folder = process.cwd()): Promise<Scenario> {
  const builtIn = Object.hasOwn(scenarios, nameOrPath) ? scenarios[nameOrPath] : undefined;
  if (builtIn) return builtIn();
  const path = resolve(folder, nameOrPath);
  if (!existsSync(path)) {
    const names = Object.keys(scenarios).join(", ");
    throw new ScenarioError(
      `There is no scenario "${nameOrPath}". Name one of ${names}, or give the path of a .ts or .js file (looked for ${path}).`,
    );
  }
  const exported = await importDefault(path);
  const parsed = scenario.safeParse(typeof exported === "function" ? exported() : exported);
  if (parsed.success) return parsed.data;
  throw new ScenarioError(
    `The default export of ${path} is not a scenario:\n${z.prettifyError(parsed.error)}`,
  );
}

async function importDefault(path: string): Promise<unknown> {
  try {
    const module: { default?: unknown } = await import(pathToFileURL(path).href);
    return module.default;
  } catch (cause) {
    throw new ScenarioError(`The scenario file ${path} cannot be loaded: ${cause}`, { cause });
  }
}

function functionOf<T>(): z.ZodType<T> {
  return z.custom<T>((value) => typeof value === "function", "must be a function");
}
