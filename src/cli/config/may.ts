import type { InitialAnswers } from "../../app/config/init.ts";

/** What an agent may do, as people say it. */
export const MAY = ["nothing", "edits", "tests", "everything", "container"] as const;

export type May = (typeof MAY)[number];

export function isMay(word: string): word is May {
  return MAY.some((known) => known === word);
}

type Permissions = Pick<InitialAnswers, "permissionMode" | "tests" | "container" | "runtime">;

/** `container`: with which engine, and of which image, where there is to be one. */
export function granted(
  may: May,
  tests: string | undefined,
  container: InitialAnswers["container"],
): Permissions {
  switch (may) {
    case "nothing":
      return { permissionMode: "default" };
    case "edits":
      return { permissionMode: "acceptEdits" };
    case "tests":
      return { permissionMode: "acceptEdits", ...(tests !== undefined && { tests }) };
    case "everything":
      return { permissionMode: "bypassPermissions" };
    case "container":
      return { permissionMode: "bypassPermissions", ...(container && { container }) };
  }
}

/** After the name of the agent. */
export function inWords({ permissionMode, tests, container, runtime }: Permissions): string {
  switch (permissionMode) {
    case "default":
      return "may only read";
    case "acceptEdits":
      if (runtime === "codex") return "may edit files and run commands, in a sandbox that ends at its folder";
      return tests === undefined ? "may edit files, and run nothing" : `may edit files, and run ${tests}`;
    case "bypassPermissions":
      if (container) return `may do everything, in a container (${container.engine})`;
      return "may do everything without asking: run it only where that can do no harm";
    default:
      return `works with permission_mode: ${permissionMode}`;
  }
}
