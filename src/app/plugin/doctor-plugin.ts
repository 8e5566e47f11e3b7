import { existsSync } from "node:fs";
import { pluginIn } from "../../agents/claude/own/plugin-settings.ts";
import { hookLogPath, newestOfHookLog } from "../../sessions/hooks/log.ts";
import { messageOf } from "../../util/errors.ts";
import { DAY_MS } from "../../util/time.ts";
import type { Finding } from "./doctor.ts";
import { pluginFolder } from "./folder.ts";
import { settingsPath } from "./install.ts";
import { readSettings } from "./settings-file.ts";

const NEWEST = 3;

/** How the plugin for people's own sessions stands, and what went wrong in its hooks lately. */
export async function pluginFindings(root: string, now = Date.now()): Promise<Finding[]> {
  return [await lookAtSettings(root), lookAtHooks(now)];
}

async function lookAtSettings(root: string): Promise<Finding> {
  const name = "plugin";
  const install = "baton install claude-code";
  try {
    for (const path of [
      settingsPath({ program: "claude-code", project: true }, root),
      settingsPath({ program: "claude-code" }),
    ]) {
      const found = pluginIn(await readSettings(path));
      if (!found) continue;
      const problem = problemOf(found);
      return problem
        ? { name, state: "warn", found: `${path}: ${problem}`, fix: `Install it again with \`${install}\`.` }
        : { name, state: "ok", found: `in ${path}` };
    }
    const fix = `For sessions that you start yourself: \`${install}\`.`;
    return { name, state: "absent", found: "not installed", fix };
  } catch (error) {
    return { name, state: "warn", found: messageOf(error) };
  }
}

function problemOf({ folder, node }: { folder: string; node: string }): string | undefined {
  if (!existsSync(folder)) return `the plugin is gone from ${folder}`;
  if (folder !== pluginFolder) return `the plugin belongs to another Baton, in ${folder}`;
  return existsSync(node) ? undefined : `the Node that runs its hooks is gone: ${node}`;
}

function lookAtHooks(now: number): Finding {
  const path = hookLogPath();
  const lines = newestOfHookLog(path, NEWEST);
  const isFresh = lines.some((line) => now - Date.parse(line.split(" ", 1)[0] ?? "") < DAY_MS);
  if (lines.length === 0) return { name: "hooks", state: "ok", found: "no problems recorded" };
  const found = [...lines, `(${path})`].join("\n");
  return isFresh
    ? { name: "hooks", state: "warn", found, fix: "A session continued without these hooks." }
    : { name: "hooks", state: "ok", found: `no problems in the last day (${path})` };
}
