import { CHAT_SERVICES } from "../../job/status-words.ts";
import { liveness } from "../../processes/owner.ts";
import { connectionsIn } from "../../store/fleet/connections.ts";
import type { FleetState } from "../../store/sqlite/fleet-state.ts";
import type { Project } from "../project.ts";

/** The connection of a bot, as every face shows it: its keys are a promise to users. */
export interface ChatConnectionView {
  service: string;
  state: "connected" | "connecting" | "failed";
  pid: number;
  since?: string;
  /** Of `failed`: what is wrong, and what to do. */
  problem?: string;
}

/** Those of a project whose process lives. */
export function chatsIn(state: FleetState, { root }: Project): { chats?: ChatConnectionView[] } {
  const here = connectionsIn(state).filter(
    ({ projects, owner }) => projects.includes(root) && liveness(owner) !== "dead",
  );
  if (here.length === 0) return {};
  return {
    chats: here.map(({ service, connectedAt: since, problem, owner: { pid } }) => ({
      service: Object.entries(CHAT_SERVICES).find(([kind]) => kind === service)?.[1] ?? service,
      state: problem === null ? (since === null ? "connecting" : "connected") : "failed",
      pid,
      ...(since !== null && { since }),
      ...(problem !== null && { problem }),
    })),
  };
}
