import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { agentAtOtherEnd } from "../../src/app/access/peer.ts";
import { leaveTrace, traceOf } from "../../src/processes/trace.ts";
import { eventually } from "../panes.ts";
import { type ServedTest, servedProject } from "../web.ts";
import { type Attack, expectNoEscape } from "./count.ts";

/** What a process must run that has found a token, and where it writes what it was told. */
async function script({ server, token }: ServedTest): Promise<{ path: string; said: string }> {
  const folder = await mkdtemp(join(tmpdir(), "baton-found-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const [path, said] = [join(folder, "found.mjs"), join(folder, "said")];
  await writeFile(
    path,
    `import { renameSync, writeFileSync } from "node:fs";
    const answer = await fetch(${JSON.stringify(`${server.url}/api/v1/inbox/a/answer`)}, {
      method: "POST",
      headers: { authorization: "Bearer ${await token(["answer"])}", "content-type": "application/json" },
      body: '{"answer":"yes"}',
    });
    writeFileSync(${JSON.stringify(`${said}.part`)}, (await answer.json()).type);
    renameSync(${JSON.stringify(`${said}.part`)}, ${JSON.stringify(said)});`,
  );
  return { path, said };
}

const NODE = JSON.stringify(process.execPath);
/** Ways to run it so that as little as possible tells who did. */
const AWAY: Record<string, (path: string) => string> = {
  "in a session of its own": (path) => `setsid ${NODE} ${path}`,
  "with no environment": (path) => `env -i ${NODE} ${path}`,
  "with no environment and no parent": (path) => `(env -i setsid ${NODE} ${path} &)`,
  "forked away twice": (path) => `(setsid sh -c '(env -i ${NODE} ${path} &)' &)`,
  "under nohup": (path) => `(env -i nohup ${NODE} ${path} >/dev/null 2>&1 &)`,
};

/** Runs a command in a shell, with the trace of a job if there is one, and says what the server told its process. */
async function told(web: ServedTest, way: (path: string) => string, trace?: string): Promise<string> {
  const { path, said } = await script(web);
  const { PATH = "" } = process.env;
  const shell = spawn("sh", ["-c", `read -r go; ${way(path)}`], {
    stdio: ["pipe", "ignore", "ignore"],
    env: { PATH },
  });
  onTestFinished(() => void shell.kill("SIGKILL"));
  if (trace !== undefined) {
    leaveTrace(shell.pid ?? 0, trace);
    const limits = () => readFileSync(`/proc/${shell.pid}/limits`, "utf8");
    await expect.poll(limits).toContain(` ${trace} `);
  }
  shell.stdin.end("go\n");
  await once(shell, "exit");
  return eventually("it was told something", async () => existsSync(said) && readFileSync(said, "utf8"));
}

it.runIf(process.platform === "linux")(
  "takes no answer from an agent's process, wherever it has gone",
  async () => {
    const web = await servedProject({ agentAtOtherEnd });
    const trace = traceOf({ job: "job-1", owner: "one", session: "session-1" });
    const attacks = Object.entries(AWAY).map(
      ([name, way]): Attack => [
        name,
        async () => {
          const type = await told(web, way, trace);
          return type === "urn:baton:agent" ? undefined : type;
        },
      ],
    );
    await expectNoEscape(attacks, 5);
    // Who has no such trace, and no agent above, is heard: there is no such ask.
    expect(await told(web, AWAY["forked away twice"] ?? String)).toBe("urn:baton:not-found");
  },
);
