import { nearest } from "../../util/nearest.ts";
import { absolute } from "../reader/absolute.ts";
import { exampleFix, type Reader, refuse } from "../reader/reader.ts";
import { orVariable, told } from "../reader/schema.ts";
import { alternatives, text } from "../reader/values.ts";
import { ACP_PRESETS, isAcpPreset } from "../runtimes/acp.ts";

/** A program and its arguments. */
export type CommandLine = readonly [string, ...string[]];

const names = Object.keys(ACP_PRESETS);
const EXPECTED = `${alternatives(names)}, or a list with a program and its arguments`;
const EXAMPLE = "[my-agent, --acp]";
const word = text("my-agent");

/** What starts a program that speaks the Agent Client Protocol: the name of a known one, or a whole command line. */
export const acpCommand: Reader<CommandLine> = {
  expects: EXPECTED,
  schema: {
    ...told({ type: "string" }, orVariable({ enum: names }), {
      type: "array",
      items: word.schema,
      minItems: 1,
    }),
    examples: ["opencode"],
  },
  read(spot, report) {
    const { value } = spot;
    if (value.kind === "list") {
      const words = value.items.map((item, index) =>
        word.read({ name: `${spot.name}[${index}]`, value: item }, report),
      );
      const [program, ...args] = words.filter((each) => each !== undefined);
      if (words.includes(undefined)) return undefined;
      if (program === undefined) return refuse(spot, report, EXPECTED, exampleFix(spot, EXAMPLE));
      // As in a shell: with a slash it is a path.
      return [/[\\/]/.test(program) ? absolute(program, value.span.file) : program, ...args];
    }
    const given = value.kind === "scalar" && typeof value.value === "string" ? value.value : "";
    if (isAcpPreset(given)) return ACP_PRESETS[given].command;
    const close = nearest(given, names);
    const fix = given === "" ? EXAMPLE : `[${given.trim().split(/\s+/).join(", ")}]`;
    return refuse(
      spot,
      report,
      EXPECTED,
      close === undefined ? exampleFix(spot, fix) : `did you mean "${close}"?`,
    );
  },
};
