import type { createSdkMcpServer, McpServerConfig } from "@anthropic-ai/claude-agent-sdk";
import type { OwnTools } from "../../agent.ts";
import { OWN_SERVER } from "../../process/own-tools-server.ts";

/**
 * Always in the prompt: a tool that turned up later would cost the whole prompt cache. The server is made when the
 * program connects to it.
 */
export function ownServer(own: OwnTools): McpServerConfig {
  const load = async () => {
    const { createSdkMcpServer, tool } = await import("@anthropic-ai/claude-agent-sdk");
    const tools = (await own.load()).map(({ name, description, input, call }) =>
      tool(name, description, input, async (given) => {
        const { ok, text } = await call(given);
        return { isError: !ok, content: [{ type: "text", text }] };
      }),
    );
    return createSdkMcpServer({ name: OWN_SERVER, alwaysLoad: true, tools }).instance;
  };
  type Server = ReturnType<typeof createSdkMcpServer>["instance"];
  const lazy: Pick<Server, "connect"> = {
    connect: async (transport) => (await load()).connect(transport),
  };
  return { type: "sdk", name: OWN_SERVER, instance: lazy as Server };
}
