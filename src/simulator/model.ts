import { setTimeout as delay } from "node:timers/promises";
import type { Api, Asked, Encoded } from "./api.ts";
import type { ApiError } from "./errors.ts";
import { readRequest, type SimulatedRequest, type WireRequest } from "./request.ts";
import type { Reply, Scenario } from "./scenario.ts";
import { startScript } from "./script.ts";
import { measurePrompt, outputTokens, sumTokens, type Usage, usageOf, windowOf } from "./usage.ts";

type Answer =
  | { type: "error"; error: ApiError; reply?: Reply }
  | { type: "message"; message: Encoded; reply: Reply; usage: Usage };

/** The simulated model: a scenario in progress, and the prompts that it has cached. */
interface Model {
  countTokens(wire: WireRequest): number;
  receive(api: Api, asked: Asked, headers: Record<string, string>): ReceivedRequest;
}

export interface ReceivedRequest {
  request: SimulatedRequest;
  /** Rejects when the signal aborts during the reply's delay. */
  answer(signal: AbortSignal): Promise<Answer>;
}

export function startModel(scenario: Scenario): Model {
  const script = startScript(scenario);
  const cached = scenario.cache === false ? undefined : new Set<string>();
  const factor = scenario.factor ?? 1;

  return {
    countTokens: (wire) => sumTokens(measurePrompt(wire, factor)),

    receive(api, { wire, encode }, headers) {
      const parts = measurePrompt(wire, factor);
      const request = readRequest(wire, headers, sumTokens(parts));
      const window = scenario.window ?? windowOf(wire.model, headers["anthropic-beta"] ?? "");

      async function answer(signal: AbortSignal): Promise<Answer> {
        if (request.sentTokens > window) {
          return { type: "error", error: api.tooLong(request.sentTokens, window) };
        }
        const reply = await script.reply(request);
        if (reply.delayMs !== undefined) await delay(reply.delayMs, undefined, { signal });
        const error = reply.fault && api.errorOf(reply.fault);
        if (error) return { type: "error", error, reply };
        const usage = api.classes(usageOf(parts, cached, outputTokens(reply, factor)));
        for (const { fingerprint } of parts) cached?.add(fingerprint);
        return { type: "message", message: encode(reply, usage), reply, usage };
      }

      return {
        request,
        // 400 and not 500: the agent would ask again and again, and hide what is wrong with the scenario.
        answer: (signal) =>
          answer(signal).catch((cause: unknown) => {
            signal.throwIfAborted();
            const message = `The scenario "${scenario.name}" failed: ${cause}`;
            return { type: "error", error: api.refusal(message) };
          }),
      };
    },
  };
}
