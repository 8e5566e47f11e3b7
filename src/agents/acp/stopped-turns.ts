import { framed, marked, newTag } from "../../util/frame.ts";
import { firstWords, lastWords } from "../../util/text.ts";
import type { AgentEvent } from "../events.ts";

/** Of one output, and of all that is told again: enough to work from, and far less than what filled the window. */
const MOST_OF_OUTPUT = 2_000;
const MOST = 60_000;

interface Turn {
  message: string;
  happened: ({ text: string } | { call: string; about: string })[];
}

/**
 * Turns that a program has forgotten because they were cancelled. What happened in them is told again with the next message, so
 * that the session still knows what it did.
 */
export class StoppedTurns {
  #forgotten: string[] = [];
  #turn: Turn = { message: "", happened: [] };

  begins(message: string): void {
    this.#turn = { message, happened: [] };
  }

  add(event: AgentEvent): void {
    const { happened } = this.#turn;
    if (event.type === "text" && event.subagent === undefined) happened.push({ text: event.text });
    if (event.type === "tool:start" && event.subagent === undefined)
      happened.push({ call: event.id, about: `${event.name}: ${event.about}` });
  }

  /** The program remembers all that it was told. */
  remembered(): void {
    this.#forgotten = [];
  }

  /** The turn was cancelled. `outputs`: of its calls, by their ids, as far as they are known. */
  forgotten(outputs: ReadonlyMap<string, string> = new Map()): void {
    this.#forgotten.push(retelling(this.#turn, outputs));
  }

  /** What goes before the next message. */
  get retold(): readonly string[] {
    return this.#forgotten;
  }
}

function retelling({ message, happened }: Turn, outputs: ReadonlyMap<string, string>): string {
  const lines = happened.map((each) => {
    if ("text" in each) return each.text;
    const output = outputs.get(each.call);
    return [`[tool] ${each.about}`, ...(output === undefined ? [] : [shortOutput(output)])].join("\n");
  });
  const tag = newTag();
  const record = framed({
    kind: "stopped-turn",
    source: "the record of that turn: what you said, the tools that you called, and what they gave",
    text: lastWords(lines.join("\n\n"), MOST),
    tag,
  });
  const began = "Your last turn was stopped, and you do not see it any more. It began with this message:";
  return [began, marked("message", message, tag), record].join("\n\n");
}

function shortOutput(output: string): string {
  if (output.length <= MOST_OF_OUTPUT) return output;
  return `${firstWords(output, MOST_OF_OUTPUT / 2)}\n${lastWords(output, MOST_OF_OUTPUT / 2)}`;
}
