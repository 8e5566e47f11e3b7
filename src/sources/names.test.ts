import { expect, it } from "vitest";
import { nameAmong } from "./names.ts";
import type { Item, Source } from "./source.ts";

const called = (name: string, ...others: string[]) => {
  const sources = [name, ...others].map((each) => ({
    kind: each.split(":")[0] as Source["kind"],
    name: each,
  }));
  const [source] = sources;
  return source && nameAmong(sources, source, { id: "17" } as Item);
};

it("calls an item by its repository as well where another one could have the same number", () => {
  expect(called("github:acme/shop")).toBeUndefined();
  expect(called("github:acme/shop", "github:acme/shop", "linear:eng")).toBeUndefined();
  expect(called("github:acme/shop", "github:acme/docs")).toBe("shop-17");
  expect(called("github:acme/shop", "github:beta/shop")).toBe("acme/shop-17");
  expect(called("linear:eng", "linear:ops")).toBeUndefined();
});
