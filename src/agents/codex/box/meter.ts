import type { Meter } from "../../../box/proxy/api-door.ts";
import { fromJson, isFields } from "../../../util/json.ts";
import { listCost } from "../prices.ts";
import { usageIn } from "../usage.ts";

const DATA = "data:";

/** Reads what an answer of the Responses API cost: of one that streams, from its last event. */
export class ResponsesMeter implements Meter {
  costUsd = 0;
  #rest = "";

  read(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) this.#take(line);
    // An answer that does not stream may be one line, which nothing ends.
    if (this.#rest.startsWith("{")) this.#take(this.#rest);
  }

  #take(line: string): void {
    if (!line.includes('"usage"')) return;
    const told = fromJson(line.startsWith(DATA) ? line.slice(DATA.length) : line);
    if (!isFields(told)) return;
    const { response = told } = told;
    if (!isFields(response) || !isFields(response.usage)) return;
    const { input_tokens_details: details, ...rest } = response.usage;
    const cached = isFields(details) ? details.cached_tokens : undefined;
    const usage = usageIn({ ...rest, cached_input_tokens: cached });
    const cost = usage && listCost(String(response.model), usage);
    if (cost !== undefined) this.costUsd = cost;
  }
}
