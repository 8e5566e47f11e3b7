import type { McpServer } from "../config.ts";
import {
  below,
  entryOf,
  key,
  lacks,
  listOf,
  mapOf,
  markOf,
  type Reader,
  type Report,
  readAt,
  type Spot,
  section,
} from "../reader/reader.ts";
import { type Schema, told } from "../reader/schema.ts";
import { flag, oneOf, secretText, text, webAddress, wholeNumber } from "../reader/values.ts";

const EXAMPLE = "{ command: npx, args: [some-server] }";

const anyType = oneOf("stdio", "http", "sse");
const common = {
  timeout: key(wholeNumber(1, 60_000), "how many milliseconds one call may take"),
  alwaysLoad: key(flag, "load its tools right away, not when they are first searched for"),
};

const local = section(
  {
    type: key(oneOf("stdio"), "talks over its standard input and output", "stdio"),
    ...common,
    command: key(text("npx"), "the program that starts it"),
    args: key(listOf(secretText, "[some-server]"), "its arguments"),
    env: key(mapOf(secretText, "{ TOKEN: … }"), "added to its environment"),
  },
  EXAMPLE,
);

const remote = section(
  {
    type: key(oneOf("http", "sse"), "how to talk to it"),
    ...common,
    url: key(webAddress("https://example.com/mcp"), "its address"),
    headers: key(mapOf(secretText, "{ Authorization: … }"), "sent with every request"),
  },
  EXAMPLE,
);

/** By its type, or by its address where the type is missing or in a variable. */
const isRemote: Schema = {
  anyOf: [
    { properties: { type: { enum: ["http", "sse"] } }, required: ["type"] },
    { properties: { type: { not: { const: "stdio" } } }, required: ["url"] },
  ],
};

const server: Reader<McpServer> = {
  expects: "a server that is started, or one with an address",
  schema: {
    title: "mcp_server",
    type: "object",
    properties: { type: anyType.schema },
    ...told(
      isRemote,
      { ...remote.schema, required: ["type", "url"] },
      { ...local.schema, required: ["command"] },
    ),
  },
  keys: { ...local.keys, ...remote.keys, type: key(anyType, "how to talk to it", "stdio") },
  whole: true,
  read(spot, report) {
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
    const type = readAt(anyType, below(spot, written), report);
    if (type === undefined) return undefined;
    return type === "stdio" ? localServer(spot, report) : remoteServer(spot, report, type);
  },
};

function localServer(spot: Spot, report: Report): McpServer | undefined {
  const { command, ...rest } = local.read(spot, report) ?? {};
  if (command !== undefined) return { ...rest, type: "stdio", command };
  if (lacks(spot.value, "command")) {
    report(markOf(spot), `${spot.name} has no command`, "add the program that starts it: command: npx");
  }
}

function remoteServer(spot: Spot, report: Report, type: "http" | "sse"): McpServer | undefined {
  const { url, ...rest } = remote.read(spot, report) ?? {};
  if (url !== undefined) return { ...rest, type, url };
  if (lacks(spot.value, "url")) {
    report(markOf(spot), `${spot.name} has no url`, "add its address: url: https://example.com/mcp");
  }
}

export const mcpServers = mapOf(server, `{ some-server: ${EXAMPLE} }`);
