/** Says nothing about the machine or the user, and programs look odd without it. */
const OF_ANYBODY = /^(?:LANG|LC_\w+|TERM|COLORTERM|NO_COLOR|FORCE_COLOR|TZ)$/;

export interface Given {
  /** All that the program would get outside. */
  env: Record<string, string>;
  /** What of it is the environment of Baton itself. */
  outside: Record<string, string>;
  /** What of that the user named for the agent. */
  named: readonly string[];
  /** What must not get inside, whoever named it. */
  withheld: readonly string[];
}

/** What a program gets inside: what was set for it, and nothing that only happens to be in the user's environment. */
export function environmentInside({ env, outside, named, withheld }: Given): Record<string, string> {
  const isMeant = ([name, value]: [string, string]) =>
    named.includes(name) || OF_ANYBODY.test(name) || outside[name] !== value;
  return Object.fromEntries(
    Object.entries(env).filter(([name, value]) => isMeant([name, value]) && !withheld.includes(name)),
  );
}
