import { onTestFinished } from "vitest";
import type { Scope } from "../src/app/access/principal.ts";
import { signInLink } from "../src/app/access/sign-in.ts";
import { createToken, type WantedToken } from "../src/app/access/tokens.ts";
import { enqueue } from "../src/app/fleet/enqueue.ts";
import { trustedAgent } from "../src/app/jobs/ready.ts";
import { recordedIn } from "../src/app/jobs/ready-job.ts";
import { configOf, findProject, openProjectStore, type Project } from "../src/app/project.ts";
import { asker } from "../src/app/trust/person.ts";
import { type Client, createClient } from "../src/client.ts";
import { resolveWeb } from "../src/config/layers/resolve.ts";
import { type ServeOptions, serveWeb, type WebServer } from "../src/http/server.ts";
import { agreeIn } from "./agree.ts";
import { bareProject } from "./bare-project.ts";

export interface ServedTest {
  server: WebServer;
  project: Project;
  /** A token with these scopes, for this project unless said otherwise. */
  token(scopes: readonly Scope[], more?: Partial<WantedToken>): Promise<string>;
  client(...scopes: Scope[]): Promise<Client>;
  get(path: string, headers?: Record<string, string>): Promise<Response>;
}

/** A project with nothing in it, served in this process. Whoever asks is a person. */
export async function servedProject(options: Partial<ServeOptions> = {}): Promise<ServedTest> {
  const where = await bareProject();
  agreeIn(where);
  return served(where, options);
}

/** Makes tokens for a project, as a person does. */
export function tokensFor(project: Project): ServedTest["token"] {
  const { insideAgent } = asker;
  asker.insideAgent = async () => undefined;
  onTestFinished(() => {
    asker.insideAgent = insideAgent;
  });
  let count = 0;
  return async (scopes, more = {}) => {
    const wanted = { name: `token ${++count}`, scopes, projects: [project.root], ...more };
    return (await createToken(wanted)).secret;
  };
}

/** The same for a project that there is. */
export async function served(
  where: { folder: string },
  options: Partial<ServeOptions> = {},
): Promise<ServedTest> {
  const project = findProject({}, where.folder);
  const token = tokensFor(project);
  const server = await serveWeb({
    projects: [project],
    config: { ...resolveWeb(), port: 0 },
    trouble: (error) => {
      throw error;
    },
    agentAtOtherEnd: async () => undefined,
    ...options,
  });
  onTestFinished(() => server[Symbol.asyncDispose]());
  return {
    server,
    project,
    token,
    client: async (...scopes) => createClient({ url: server.url, token: await token(scopes) }),
    get: (path, headers = {}) => fetch(`${server.url}${path}`, { headers }),
  };
}

/** A browser, signed in by a link. */
export async function signedIn({ server, project }: ServedTest): Promise<{ cookie: string; csrf: string }> {
  const { link } = await signInLink(project);
  const code = new URL(link).hash.slice(1);
  const answer = await fetch(`${server.url}/api/v1/session`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ code }),
  });
  const { csrf } = JSON.parse(await answer.text());
  return { cookie: (answer.headers.get("set-cookie") ?? "").split(";")[0] ?? "", csrf };
}

/** Waits in the queue: no fleet runs in these tests. */
export async function queuedJob(project: Project, prompt: string): Promise<string> {
  const { job } = await enqueue(project, {
    config: await configOf(project),
    agent: "coder",
    prompt,
    origin: {},
  });
  return job;
}

/** Many at once: to say of each how the queue then stands would take the longest. */
export async function queuedJobs(project: Project, prompts: readonly string[]): Promise<void> {
  const config = await configOf(project);
  const agent = await trustedAgent(config, "coder");
  await using store = await openProjectStore(project);
  for (const prompt of prompts)
    await recordedIn(project, store, { origin: config, agent, prompt, place: { priority: 0 } });
}
