import type { BoxConfig, EngineName } from "../config/box-config.ts";
import { onPath } from "../processes/on-path.ts";
import { run } from "../processes/run.ts";
import { BoxError } from "./error.ts";

/** In the order in which they are looked for. */
export const ENGINES: readonly EngineName[] = ["podman", "docker", "bwrap"];

const INSTALL: Record<EngineName, string> = {
  podman: "install podman (apt install podman, dnf install podman, brew install podman)",
  docker: "install Docker, start its daemon, and see that `docker info` works for you",
  bwrap: "install bubblewrap (apt install bubblewrap); it needs Linux with user namespaces, or root",
};

export type Tried =
  | { works: true; version: string }
  | { works: false; isInstalled: boolean; problem: string; fix: string };

/** For how long an engine that worked is taken for one that works: a job is checked, and begins. */
const HOLDS_MS = 30_000;
const lastWorked = new Map<string, { tried: Tried; at: number }>();

/** Whether an engine does its work here, for this user: to be installed is not enough. */
export async function tryEngine(engine: EngineName, env: Record<string, string>): Promise<Tried> {
  const setting = Object.entries(env).filter(([name]) => /^(?:PATH|HOME|DOCKER_|CONTAINER)/.test(name));
  const key = JSON.stringify([engine, ...setting]);
  const last = lastWorked.get(key);
  if (last && performance.now() - last.at < HOLDS_MS) return last.tried;
  const tried = await tryNow(engine, env);
  if (tried.works) lastWorked.set(key, { tried, at: performance.now() });
  return tried;
}

async function tryNow(engine: EngineName, env: Record<string, string>): Promise<Tried> {
  const fix = INSTALL[engine];
  if (onPath(engine, env) === undefined)
    return { works: false, isInstalled: false, problem: `${engine} is not on your PATH.`, fix };
  const { ok, stdout, said } = await run(engine, TRIES[engine], { env, timeoutMs: 20_000 });
  if (!ok) return { works: false, isInstalled: true, problem: `${engine} does not work here: ${said}`, fix };
  return { works: true, version: stdout.trim() };
}

const TRIES: Record<EngineName, string[]> = {
  podman: ["version", "--format", "{{.Client.Version}}"],
  docker: ["version", "--format", "{{.Server.Version}}"],
  bwrap: [
    ...["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"],
    ...["--unshare-pid", "--unshare-net", "--cap-drop", "ALL"],
    ...["--", "bwrap", "--version"],
  ],
};

/** The engine of an agent: the one that it names, or the first that works and needs nothing that is not said. */
export async function engineFor(config: BoxConfig, env: Record<string, string>): Promise<EngineName> {
  if (config.engine !== undefined) {
    const tried = await tryEngine(config.engine, env);
    if (tried.works) return config.engine;
    throw new BoxError(tried.problem, tried.fix, "engine");
  }
  // Without an image, bubblewrap alone has something to show.
  const fitting = ENGINES.filter((engine) => (engine === "bwrap") === (config.image === undefined));
  const problems: string[] = [];
  for (const engine of fitting) {
    const tried = await tryEngine(engine, env);
    if (tried.works) return engine;
    problems.push(tried.problem);
  }
  const fixes = fitting.map((engine) => INSTALL[engine]).join("; or ");
  throw new BoxError(`No engine for containers works here. ${problems.join(" ")}`, fixes, "enabled");
}

/** Whether the engine has the image, so that nobody waits for a download in the middle of a job. */
export async function refuseMissingImage(
  engine: EngineName,
  { image }: BoxConfig,
  env: Record<string, string>,
): Promise<void> {
  if (engine === "bwrap" || image === undefined) return;
  const { ok, said } = await run(engine, ["image", "inspect", "--format", "{{.Id}}", image], { env });
  if (ok) return;
  throw new BoxError(
    `The image ${image} is not on this machine: ${said}`,
    `Build it (docs/containers.md has a Dockerfile) or pull it: ${engine} pull ${image}`,
    "image",
  );
}
