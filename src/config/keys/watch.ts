import { MINUTE_MS } from "../../util/time.ts";
import { DEFAULTS } from "../defaults.ts";
import { key, section, type ValueOf } from "../reader/reader.ts";
import { remainingOrTokens } from "../reader/threshold.ts";
import { duration, flag, text } from "../reader/values.ts";

export const watch = section(
  {
    check_interval: key(
      duration(MINUTE_MS, "15m"),
      "how often `baton watch` sends a message to an orchestrator that waits at its prompt; never unless this is set",
    ),
    message: key(text("Check on your workers."), "that message", DEFAULTS.watch.message),
    context_threshold: key(
      remainingOrTokens,
      "when an orchestrator hands off: with this many tokens in use, or with this fraction of the window left",
      DEFAULTS.watch.context_threshold,
    ),
    living_document: key(
      flag,
      "whether an orchestrator keeps `docs/HANDOFF.md` if `handoff.living_document` is not set",
      DEFAULTS.watch.living_document,
    ),
  },
  "{ check_interval: 15m }",
);

export type WatchLayer = ValueOf<typeof watch>;
