import { findingsIn } from "../../app/plugin/doctor.ts";
import { roomOf, serverHere } from "../../app/served/server.ts";
import type { Handlers } from "./handlers.ts";

export const serverHandlers: Handlers<"getServer" | "getDoctor"> = {
  async getServer({ web, caller: { principal } }) {
    const { host, tls, allowedHosts, allowInsecure, sessionExpiryMs } = web.config;
    const projects = await Promise.all(web.served.seenBy(principal).map(roomOf));
    const how = { url: web.origin, host, tls: tls !== undefined };
    return {
      answer: {
        ...serverHere(),
        web: { ...how, allowedHosts: [...allowedHosts], allowInsecure, sessionExpiryMs },
        projects,
      },
    };
  },

  async getDoctor({ web, caller: { principal }, query }) {
    const projects = await Promise.all(
      web.served
        .seenBy(principal, query.project)
        .map(async ({ key, project }) => ({ project: key, findings: await findingsIn(project) })),
    );
    return { answer: { projects } };
  },
};
