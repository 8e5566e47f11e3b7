import { adapters } from "../../src/agents/registry.ts";
import { scripted } from "./agent.ts";

/** For `node --import`: whatever the program runs, it runs with the scripted agent in Claude Code's place. */
adapters.claude = async () => scripted;
