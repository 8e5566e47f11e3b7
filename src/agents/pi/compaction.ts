import { join } from "node:path";
import { readIfThere } from "../../files/read-if-there.ts";
import { fromJson, isFields } from "../../util/json.ts";
import { modelName, type PiModel } from "./records.ts";
import { piHome } from "./transcript.ts";

/** Room that pi keeps free for an answer. */
const RESERVE = 16_384;

const MOST_BYTES = 1_000_000;

/** Where pi compacts the window of a model by itself, by its user's settings. */
export async function compactsAt(env: Record<string, string>, model: PiModel): Promise<number> {
  const path = join(piHome(env), "settings.json");
  const settings = fromJson((await readIfThere(path, MOST_BYTES).catch(() => undefined)) ?? "");
  const compaction = isFields(settings) && isFields(settings.compaction) ? settings.compaction : {};
  const overrides = isFields(compaction.modelOverrides) ? compaction.modelOverrides : {};
  const own = overrides[modelName({ ...model, model: model.id })];
  const [reserve = RESERVE] = [own, compaction]
    .map((each) => (isFields(each) ? each.reserveTokens : undefined))
    .filter((tokens) => typeof tokens === "number");
  return Math.max(0, model.contextWindow - reserve);
}
