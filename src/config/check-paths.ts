import { lstatSync, type Stats, statSync } from "node:fs";
import { isAbsolute, join, relative, sep } from "node:path";
import type { AgentConfig, Config, WrittenPath } from "./config.ts";
import { ConfigError, type Problem } from "./error.ts";
import { userConfigPath } from "./find.ts";

/** Refuses an agent whose working directory, program or template is not there. For use before anything starts. */
export function checkPaths(config: Config, agent: AgentConfig): void {
  const problems = config.paths
    .filter((written) => written.agent === agent.name)
    .flatMap((written) => problemsOf(written, config));
  if (problems.length > 0) throw new ConfigError(problems);
}

/** The same for all agents, each problem once: what is written in `defaults` is wrong for several of them. */
export function checkAllPaths(config: Config): void {
  const problems = new Map<string, Problem>();
  for (const problem of config.paths.flatMap((written) => problemsOf(written, config))) {
    problems.set(`${problem.file}:${problem.line}:${problem.column} ${problem.message}`, problem);
  }
  if (problems.size > 0) throw new ConfigError([...problems.values()]);
}

function problemsOf({ agent, key, path, shown, place }: WrittenPath, { root, agents }: Config): Problem[] {
  const found = stat(path);
  const isKept = key === "template_path" || key === "dir";
  const wayOut = isKept && place.file !== userConfigPath() ? wayOutOf(root, path) : undefined;
  if (wayOut) {
    const fix = `give a path inside ${root}, or set the key in ${userConfigPath()}`;
    const name = key === "dir" ? "handoff.dir" : key;
    return [{ ...place, message: `${name} ${wayOut}: ${shown}`, fix }];
  }
  switch (key) {
    case "working_directory": {
      if (found?.isDirectory()) return [];
      const fix = found ? "give the folder that the agent works in" : `make it with: mkdir -p "${shown}"`;
      return [
        {
          ...place,
          message: `working_directory ${found ? "is not a folder" : "cannot be found"}: ${shown}`,
          fix,
        },
      ];
    }
    case "repository": {
      if (isRepository(path)) return [];
      const fix = "say where to clone it from: repo: https://github.com/you/project.git";
      return [{ ...place, message: `auto_clone needs a repo: ${shown} is not a repository itself`, fix }];
    }
    case "executable": {
      if (found?.isFile()) return [];
      const fix = `give the full path of the program; this prints it: which ${typedFor(agent, agents)}`;
      return [
        { ...place, message: `executable ${found ? "is not a file" : "cannot be found"}: ${shown}`, fix },
      ];
    }
    case "template_path": {
      if (found?.isFile()) return [];
      const fix = "give a Markdown file whose headings are the sections, or leave the key out";
      return [
        { ...place, message: `template_path ${found ? "is not a file" : "cannot be found"}: ${shown}`, fix },
      ];
    }
    case "dir":
      return [];
    case "volume": {
      const outside = place.file !== userConfigPath() && wayOutOf(root, path);
      if (outside) {
        const fix = `mount only what is in the project, or set docker.volumes in ${userConfigPath()}`;
        return [{ ...place, message: `a volume ${outside}: ${shown}`, fix }];
      }
      if (found) return [];
      const fix = `make it with: mkdir -p "${shown}"`;
      return [{ ...place, message: `a volume cannot be found: ${shown}`, fix }];
    }
  }
}

/** What people type to start the program of an agent. */
function typedFor(name: string, agents: readonly AgentConfig[]): string {
  const { runtime = "claude", command } = agents.find((agent) => agent.name === name) ?? {};
  if (runtime === "acp") return command?.[0] ?? name;
  return runtime === "claude-cli" ? "claude" : runtime;
}

/** A checkout, or a bare repository. */
function isRepository(path: string): boolean {
  return stat(join(path, ".git")) !== undefined || stat(join(path, "HEAD"))?.isFile() === true;
}

/** How a path that a project's own file names would leave the project; a link on the way may lead anywhere. */
function wayOutOf(root: string, path: string): string | undefined {
  const parts = relative(root, path).split(sep);
  if (parts[0] === ".." || isAbsolute(parts.join(sep))) return "is outside of the project";
  const folders = parts.map((_, index) => join(root, ...parts.slice(0, index + 1)));
  const isLink = folders.some((each) => lstatSync(each, { throwIfNoEntry: false })?.isSymbolicLink());
  return isLink ? "is a link, or is reached through one" : undefined;
}

/** A path behind a folder that may not be entered is as good as missing. */
function stat(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}
