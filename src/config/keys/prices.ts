import type { ModelPrices } from "../config.ts";
import { exampleFix, key, lacks, mapOf, markOf, type Reader, section } from "../reader/reader.ts";
import { number } from "../reader/values.ts";

const dollars = (example: number) => number({ least: 0 }, "a number of 0 or more", example);

const priceKeys = {
  input: key(dollars(5), "US dollars per million tokens sent, not cached"),
  output: key(dollars(25), "per million tokens that the model writes"),
  cache_read: key(dollars(0.5), "per million tokens read from the cache; by default a tenth of `input`"),
  cache_write_5m: key(
    dollars(6.25),
    "per million tokens cached for five minutes; by default 1.25 times `input`",
  ),
  cache_write_1h: key(dollars(10), "per million tokens cached for an hour; by default twice `input`"),
};

const EXAMPLE = "{ input: 5, output: 25 }";
const written = section(priceKeys, EXAMPLE);

const price: Reader<ModelPrices> = {
  ...written,
  whole: true,
  schema: { ...written.schema, title: "price", required: ["input", "output"] },
  read(spot, report) {
    const read = written.read(spot, report);
    if (!read) return undefined;
    const { input, output } = read;
    const missing = ["input", "output"].filter((name) => lacks(spot.value, name));
    if (missing.length > 0)
      report(markOf(spot), `${spot.name} has no ${missing.join(" and no ")}`, exampleFix(spot, EXAMPLE));
    if (input === undefined || output === undefined) return undefined;
    const { cache_read, cache_write_5m, cache_write_1h } = read;
    return {
      input,
      output,
      cacheRead: cache_read ?? input / 10,
      cacheWrite5m: cache_write_5m ?? input * 1.25,
      cacheWrite1h: cache_write_1h ?? input * 2,
    };
  },
};

export const prices = mapOf(price, `{ claude-opus-5: ${EXAMPLE} }`);
