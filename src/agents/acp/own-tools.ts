import type { OwnTools } from "../agent.ts";
import { Loopback } from "../process/loopback.ts";
import { OwnToolCalls } from "../process/own-tool-calls.ts";
import { ownToolsServer } from "../process/own-tools-server.ts";

const PATH = "/own-tools";

/**
 * A server on standard input and output, which every program of the protocol can start: it hands each line to Baton, which has
 * the tools. What Baton is asked with is in its environment: others can read a command line.
 */
const BRIDGE = `
const { BATON_TOOLS_URL: url, BATON_TOOLS_TOKEN: token } = process.env;
let rest = "";
process.stdin.setEncoding("utf8").on("data", (text) => {
  const lines = (rest + text).split("\\n");
  rest = lines.pop();
  for (const body of lines) if (body.trim()) pass(body);
});
async function pass(body) {
  const headers = { authorization: token, "content-type": "application/json" };
  const answer = await fetch(url, { method: "POST", headers, body }).catch(() => process.exit(1));
  const said = await answer.text();
  if (said) process.stdout.write(said + "\\n");
}`;

/** Baton's own tools, as a server for the program to start. */
export interface OwnServer {
  command: string;
  args: string[];
  env: Record<string, string>;
  /** On which it is asked. */
  port: number;
  close(): void;
}

export async function ownServer(tools: OwnTools): Promise<OwnServer> {
  const loopback = await Loopback.open({ [PATH]: ownToolsServer(new OwnToolCalls(tools)) });
  const env: Record<string, string> = {
    BATON_TOOLS_URL: loopback.url + PATH,
    BATON_TOOLS_TOKEN: loopback.headers.Authorization ?? "",
    NO_PROXY: "127.0.0.1",
  };
  return { command: process.execPath, args: ["-e", BRIDGE], env, port: loopback.port, close: loopback.close };
}
