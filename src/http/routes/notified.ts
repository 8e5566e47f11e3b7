import { notifiedBy, type Tracker } from "../../app/work/notified.ts";
import { boundedText } from "../guards/body.ts";
import { Problem } from "../problem.ts";
import type { Web } from "../web.ts";

/** Where each tracker calls, and how it signs and names what it sends. */
export const NOTIFIED = [
  {
    ...{ tracker: "github", path: "/hooks/github" },
    ...{ signature: "x-hub-signature-256", delivery: "x-github-delivery" },
  },
  { tracker: "linear", path: "/hooks/linear", signature: "linear-signature", delivery: "linear-delivery" },
] as const satisfies { tracker: Tracker; path: string; signature: string; delivery: string }[];

/** A tracker says that something is new, signed with the secret of a project. What it says beyond that is not used. */
export async function notified(
  web: Web,
  { tracker, signature, delivery }: (typeof NOTIFIED)[number],
  request: Request,
  from: string,
): Promise<{ polled: number }> {
  const { headers } = request;
  const text = await boundedText(request);
  const polled = await notifiedBy(tracker, web.served.all, web.access, {
    text,
    signature: headers.get(signature) ?? undefined,
    delivery: headers.get(delivery)?.slice(0, 200),
  });
  if (polled !== undefined) return { polled };
  web.limits.failure(from);
  throw new Problem(
    401,
    "signature",
    `Sign it with the secret of webhooks.secret_env, which the fleet must have in its environment, as ${signature}.`,
  );
}
