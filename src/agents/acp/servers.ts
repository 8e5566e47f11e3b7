import { isFields } from "../../util/json.ts";
import { textField } from "../call-input.ts";
import type { Fields } from "./rpc.ts";
import { fieldsIn } from "./told/tools.ts";

/** The user's servers in the words of the protocol. Throws for one that this program cannot be given. */
export function serversFor(
  servers: Record<string, unknown>,
  capabilities: Fields,
  program: string,
): Fields[] {
  return Object.entries(servers).map(([name, server]) => {
    const fields = fieldsIn(server);
    const type = textField(fields, "type") ?? "stdio";
    if (type !== "stdio" && fieldsIn(capabilities.mcpCapabilities)[type] !== true)
      throw new Error(
        `${program} takes no servers of type ${type}: leave mcp_servers.${name} out, or start it by a command.`,
      );
    if (type !== "stdio") return { type, name, url: fields.url, headers: pairs(fields.headers) };
    const args = Array.isArray(fields.args) ? fields.args.map(String) : [];
    return { name, command: fields.command, args, env: pairs(fields.env) };
  });
}

function pairs(value: unknown): { name: string; value: string }[] {
  if (!isFields(value)) return [];
  return Object.entries(value).map(([name, each]) => ({ name, value: String(each) }));
}
