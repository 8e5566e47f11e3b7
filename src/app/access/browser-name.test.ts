import { expect, it } from "vitest";
import { browserName } from "./browser-name.ts";

const MOZILLA = "Mozilla/5.0";

it.each([
  [
    `${MOZILLA} (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36`,
    "Chrome on Linux",
  ],
  [
    `${MOZILLA} (Windows NT 10.0; Win64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36 Edg/140.0`,
    "Edge on Windows",
  ],
  [`${MOZILLA} (Macintosh; Intel Mac OS X 15.1; rv:143.0) Gecko/20100101 Firefox/143.0`, "Firefox on macOS"],
  [
    `${MOZILLA} (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1 Version/19.0 Mobile/15E148 Safari/604.1`,
    "Safari on iPhone",
  ],
  ["curl/8.9", "curl/8.9"],
  ["", "a browser"],
])("names %s %s", (agent, name) => {
  expect(browserName(agent)).toBe(name);
});
