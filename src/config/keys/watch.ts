import { MINUTE_MS } from "../../util/time.ts";
import { DEFAULTS } from "../defaults.ts";
import { key, section, type ValueOf } from "../reader/reader.ts";
import { remainingOrTokens } from "../reader/threshold.ts";
import { duration, flag, text } from "../reader/values.ts";

export const watch = section(
  {
    check_interval: key(
      duration(MINUTE_MS, "15m"),
      "how often `baton watch` sends an orchestrator that waits at its prompt a message; never unless it is set",
    ),
    message: key(text("Check on your workers."), "that message", DEFAULTS.watch.message),
    context_threshold: key(
      remainingOrTokens,
      "when an orchestrator hands off: with this many tokens in use, or with this part of the window left",
      DEFAULTS.watch.context_threshold,
    ),
    living_document: key(
      flag,
      "whether an orchestrator keeps `docs/HANDOFF.md` where `handoff.living_document` is not set",
      DEFAULTS.watch.living_document,
    ),
  },
  "{ check_interval: 15m }",
);

export type WatchLayer = ValueOf<typeof watch>;
