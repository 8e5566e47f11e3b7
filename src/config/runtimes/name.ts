import { nearest } from "../../util/nearest.ts";
import { exampleFix, type Reader, refuse } from "../reader/reader.ts";
import { orVariable } from "../reader/schema.ts";
import { alternatives } from "../reader/values.ts";
import { isAcpPreset } from "./acp.ts";
import { RUNTIME_ALIASES, RUNTIMES, type Runtime } from "./runtimes.ts";

const names = Object.keys(RUNTIMES);
const accepted = [...names, ...Object.keys(RUNTIME_ALIASES)];

/** A runtime, by its own name or by what other tools call it. */
export const runtimeName: Reader<Runtime> = {
  expects: alternatives(names),
  schema: orVariable({ enum: accepted }),
  read(spot, report) {
    const { value } = spot;
    const given = value.kind === "scalar" ? value.value : undefined;
    const name = typeof given === "string" ? given : "";
    if (isRuntime(name)) return name;
    if (Object.hasOwn(RUNTIME_ALIASES, name)) return RUNTIME_ALIASES[name];
    return refuse(spot, report, alternatives(names), fixFor(name) ?? exampleFix(spot, "claude"));
  },
};

function fixFor(name: string): string | undefined {
  if (isAcpPreset(name)) return `use runtime: acp, and command: ${name} beside it`;
  const close = nearest(name, accepted);
  return close && `did you mean "${close}"?`;
}

function isRuntime(name: string): name is Runtime {
  return Object.hasOwn(RUNTIMES, name);
}
