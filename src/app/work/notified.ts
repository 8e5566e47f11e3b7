import { ownEnvironment } from "../../agents/own-environment.ts";
import { isFromGitHub, isFromLinear } from "../../sources/webhooks.ts";
import { askToPoll } from "../../store/work/sources.ts";
import { digest } from "../../util/digest.ts";
import { DAY_MS } from "../../util/time.ts";
import type { Access } from "../access/access.ts";
import { configOf } from "../project.ts";
import type { ServedProject } from "../served/projects.ts";

/** Which tracker says something, as it stands in the address that it calls. */
export type Tracker = "github" | "linear";

interface Delivered {
  /** As it came. */
  text: string;
  signature: string | undefined;
  /** By which the tracker names it, also where it sends it again. */
  delivery: string | undefined;
}

/**
 * A tracker says that something is new: those of its kind are asked now, in all projects whose secret it is signed with. Nothing of
 * what it says is believed. Resolves with how many projects; undefined where nobody's secret is.
 */
export async function notifiedBy(
  tracker: Tracker,
  projects: readonly ServedProject[],
  access: Access,
  { text, signature, delivery }: Delivered,
): Promise<number | undefined> {
  const env = ownEnvironment();
  const meant: ServedProject[] = [];
  for (const served of projects) {
    const config = await configOf(served.project).catch(() => undefined);
    const { enabled = false, secretEnv } = config?.webhooks ?? {};
    const secret = secretEnv === undefined ? undefined : env[secretEnv];
    if (!enabled || !secret || !config?.workSources.some(({ source }) => source.type === tracker)) continue;
    if (isFrom(tracker, Buffer.from(text), signature, secret)) meant.push(served);
  }
  if (meant.length === 0) return undefined;
  const key = delivery ?? digest(text);
  const before = access.beginDelivery({
    ...{ hook: tracker, key, request: digest(text), job: tracker },
    until: new Date(Date.now() + DAY_MS),
  });
  if (before) return 0;
  for (const { store } of meant) await askToPoll(store);
  access.endDelivery({ hook: tracker, key }, { outcome: "polled", reason: null });
  return meant.length;
}

function isFrom(tracker: Tracker, body: Uint8Array, signature: string | undefined, secret: string): boolean {
  switch (tracker) {
    case "github":
      return isFromGitHub(body, signature, secret);
    case "linear":
      return isFromLinear(body, signature, secret, new Date());
  }
}
