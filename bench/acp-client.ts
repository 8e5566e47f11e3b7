import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

// The plainest client of the Agent Client Protocol there can be: one prompt, and whatever the program says of it.
const [prompt = "", command = "", mode = "", ...args] = process.argv.slice(2);
const child = spawn(command, args, { stdio: ["pipe", "pipe", "ignore"] });
const waiting = new Map<number, (result: { sessionId?: string }) => void>();

createInterface({ input: child.stdout }).on("line", (line) => {
  const { id, result } = JSON.parse(line);
  if (result === undefined) console.log(line);
  else waiting.get(id)?.(result);
});

function ask(method: string, params: object): Promise<{ sessionId?: string }> {
  const id = waiting.size + 1;
  child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
  return new Promise((resolve) => waiting.set(id, resolve));
}

await ask("initialize", { protocolVersion: 1, clientCapabilities: {} });
const { sessionId } = await ask("session/new", { cwd: process.cwd(), mcpServers: [] });
await ask("session/set_mode", { sessionId, modeId: mode });
await ask("session/prompt", { sessionId, prompt: [{ type: "text", text: prompt }] });
child.stdin.end();
