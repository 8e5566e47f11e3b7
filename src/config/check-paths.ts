import { type Stats, statSync } from "node:fs";
import type { AgentConfig, Config, WrittenPath } from "./config.ts";
import { ConfigError, type Problem } from "./error.ts";

/** Refuses an agent whose working directory, program or template is not there. For use before anything starts. */
export function checkPaths(config: Config, agent: AgentConfig): void {
  const problems = config.paths.filter((written) => written.agent === agent.name).flatMap(problemsOf);
  if (problems.length > 0) throw new ConfigError(problems);
}

/** The same for all agents, each problem once: what is written in `defaults` is wrong for several of them. */
export function checkAllPaths({ paths }: Config): void {
  const problems = new Map<string, Problem>();
  for (const problem of paths.flatMap(problemsOf)) {
    problems.set(`${problem.file}:${problem.line}:${problem.column} ${problem.message}`, problem);
  }
  if (problems.size > 0) throw new ConfigError([...problems.values()]);
}

function problemsOf({ key, path, shown, place }: WrittenPath): Problem[] {
  const found = stat(path);
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
    case "executable": {
      if (found?.isFile()) return [];
      const fix = "give the full path of the program; this prints it: which claude";
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
  }
}

/** A path behind a folder that may not be entered is as good as missing. */
function stat(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}
