import { fleetOf } from "../../app/served/fleet.ts";
import { written } from "../../app/served/position.ts";
import type { Handlers } from "./handlers.ts";

export const fleetHandlers: Handlers<"getFleet"> = {
  async getFleet({ web, caller: { principal }, query }) {
    const projects = web.served.seenBy(principal, query.project);
    // Taken first: what happens while the answer is made comes again in the stream.
    const position = written(await web.tails.now(projects));
    return { answer: { ...(await fleetOf(projects)), position } };
  },
};
