import { expect, it } from "vitest";
import { shortPath } from "./path.ts";

it.each([
  ["/home/you/shop/baton.yaml", "baton.yaml"],
  ["/home/you/shop/..agents/a.yaml", "..agents/a.yaml"],
  ["/home/you/.config/baton/config.yaml", "~/.config/baton/config.yaml"],
  ["/home/you/shop", "~/shop"],
  ["/etc/baton.yaml", "/etc/baton.yaml"],
])("says %s as %s", (path, short) => {
  expect(shortPath(path, "/home/you/shop", "/home/you")).toBe(short);
});
