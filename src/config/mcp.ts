import type { McpServer } from "./config.ts";
import {
  below,
  entryOf,
  lacks,
  listOf,
  mapOf,
  markOf,
  type Read,
  type Report,
  type Spot,
  section,
} from "./read.ts";
import { flag, oneOf, secretText, text, wholeNumber } from "./values.ts";

const EXAMPLE = "{ command: npx, args: [some-server] }";

const anyType = oneOf("stdio", "http", "sse");
const common = { type: anyType, timeout: wholeNumber(1, 60_000), alwaysLoad: flag };

const local = section(
  {
    ...common,
    command: text("npx"),
    args: listOf(secretText, "[some-server]"),
    env: mapOf(secretText, "{ TOKEN: … }"),
  },
  EXAMPLE,
);

const remote = section(
  { ...common, url: text("https://example.com/mcp"), headers: mapOf(secretText, "{ Authorization: … }") },
  EXAMPLE,
);

const server: Read<McpServer> = (spot, report) => {
  const written = entryOf(spot.value, "type");
  if (!written) {
    if (!entryOf(spot.value, "url")) return localServer(spot, report);
    report(
      markOf(spot),
      `${spot.name} has a url and no type`,
      "add type: http, or type: sse for an older server",
    );
    return undefined;
  }
  const type = anyType(below(spot, written), report);
  if (type === undefined) return undefined;
  return type === "stdio" ? localServer(spot, report) : remoteServer(spot, report, type);
};

function localServer(spot: Spot, report: Report): McpServer | undefined {
  const { command, ...rest } = local(spot, report) ?? {};
  if (command !== undefined) return { ...rest, type: "stdio", command };
  if (lacks(spot.value, "command")) {
    report(markOf(spot), `${spot.name} has no command`, "add the program that starts it: command: npx");
  }
}

function remoteServer(spot: Spot, report: Report, type: "http" | "sse"): McpServer | undefined {
  const { url, ...rest } = remote(spot, report) ?? {};
  const written = entryOf(spot.value, "url");
  if (!written) {
    report(markOf(spot), `${spot.name} has no url`, "add its address: url: https://example.com/mcp");
    return undefined;
  }
  if (url === undefined) return undefined;
  if (/^https?:$/.test(URL.parse(url)?.protocol ?? "")) return { ...rest, type, url };
  report(
    written.keySpan,
    `${spot.name}.url is not a web address`,
    "start it with https:// or http://",
    "up to the mark",
  );
}

export const mcpServers = mapOf(server, `{ some-server: ${EXAMPLE} }`);
