import { createInterface } from "node:readline";
import type { AgentEvent } from "../../src/agents/events.ts";
import type { PermissionAnswer } from "../../src/agents/permission.ts";
import type { FromProgram, ProgramSpec, ToProgram } from "./protocol.ts";
import { actOnRepository } from "./repository.ts";
import { ScriptedAgent } from "./scripted-agent.ts";

/** The process behind `agent.ts`: one session, told what to do in lines of JSON, telling what happens in the same way. */
const spec: ProgramSpec = JSON.parse(process.argv[2] ?? "{}");

// Whoever reads this may be gone. Like Claude Code, the program then finishes its turn all the same.
process.stdout.on("error", () => {});

function say(line: FromProgram): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

if (spec.readsRepository) actOnRepository(process.cwd());

const asked = new Map<string, (answer: PermissionAnswer) => void>();
const ownCalls = new Map<string, (answer: { ok: boolean; text: string }) => void>();
let boundary: ((stop: boolean) => void) | undefined;
let isAlone = false;
let isClosing = false;

const agent = new ScriptedAgent(spec, {
  emit: (event: AgentEvent) => say({ type: "event", event }),
  stopsHere() {
    if (isAlone || isClosing) return Promise.resolve(isClosing);
    say({ type: "boundary" });
    return new Promise((resolve) => {
      boundary = resolve;
    });
  },
  permit(question) {
    say({ type: "permit", question });
    return new Promise((resolve) => asked.set(question.id, resolve));
  },
  callOwn(id, name, input) {
    say({ type: "own-tool", id, name, input });
    return new Promise((resolve) => ownCalls.set(id, resolve));
  },
});

const lines = createInterface({ input: process.stdin });
lines.on("line", (line) => {
  const told: ToProgram = JSON.parse(line);
  switch (told.type) {
    case "send":
      agent.hear(told.text);
      return;
    case "interrupt":
      agent.interrupt();
      return;
    case "boundary":
      boundary?.(told.stop);
      return;
    case "own-tool":
      ownCalls.get(told.id)?.(told);
      return;
    case "permit":
      asked.get(told.id)?.(told);
      return;
    case "close":
      isClosing = true;
      boundary?.(true);
      agent.end().then(() => process.exit(0));
  }
});
lines.on("close", async () => {
  if (isClosing) return;
  isAlone = true;
  boundary?.(false);
  await agent.atRest();
  process.exit(0);
});
