/** In this order: most of them call themselves by the names of others, too. */
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(?:A|iOS)?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\b(?:Firefox|FxiOS)\//, "Firefox"],
  [/\b(?:Headless)?Chrome\/|\bCriOS\//, "Chrome"],
  [/\bSafari\//, "Safari"],
];

const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bAndroid\b/, "Android"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b/, "macOS"],
  [/\bLinux\b/, "Linux"],
];

const LONGEST = 60;

/** `Chrome on Linux`, by what a browser says of itself. What it says is not to be relied on: it is only for people. */
export function browserName(agent: string): string {
  const [browser, system] = [BROWSERS, SYSTEMS].map((names) => names.find(([says]) => says.test(agent))?.[1]);
  if (browser === undefined) return agent.slice(0, LONGEST) || "a browser";
  return system === undefined ? browser : `${browser} on ${system}`;
}
