import { randomUUID } from "node:crypto";
import { expect, it, onTestFinished } from "vitest";
import { startGitHub } from "../../../test/github-server.ts";
import { parseConfig } from "../../config/layers/parse.ts";
import { openRegister, openSource } from "./open.ts";

const SOURCE = "type: github, repo: acme/app, claims: comments";

it("claims in comments of the issue where that is configured: of two fleets one has it, and neither takes a claim for words", async () => {
  const github = await startGitHub();
  onTestFinished(() => github.close());
  const repo = github.repo("acme/app", { collaborators: { robot: "write", other: "write", alice: "write" } });
  const issue = String(repo.open({ title: "Fix it", body: "Now.", by: "alice", labels: ["ready"] }));
  const text = `agents:\n  - name: coder\n    work_source: { ${SOURCE}, api_url: "${github.url}" }\n`;
  const config = parseConfig(text, "/project/baton.yaml", "/home/someone", {});
  const [agent] = config.agents;
  const [written] = config.workSources;
  if (!agent || !written) throw new Error("nothing is configured");
  const { signal } = new AbortController();
  const fleets = await Promise.all(
    ["robot", "other"].map(async (login) => {
      const source = openSource(written.source, { GITHUB_TOKEN: github.accounts.token(login) });
      const where = { agent, source, config: written.source, env: {}, signal, waitMs: 20 };
      return { source, register: await openRegister(where) };
    }),
  );
  const source = fleets[0]?.source.name ?? "";
  const taken = await Promise.all(
    fleets.map(({ register }, index) =>
      register.take(
        {
          ...{ source, item: issue, epoch: 1, state: "claimed", job: `job-${index}`, agent: "coder" },
          ...{ holder: `fleet-${index}`, attempts: 0, leaseMs: 600_000, at: new Date().toISOString() },
          nonce: randomUUID(),
        },
        undefined,
        signal,
      ),
    ),
  );
  const [winner, ...others] = taken.filter((standing) => standing !== undefined);
  expect(others).toEqual([]);
  for (const { register } of fleets) expect(await register.read(issue, signal)).toEqual(winner);
  expect(repo.issue(Number(issue)).comments).toMatchObject([
    { body: expect.stringMatching(/^Baton works on this: job-\d \(claim 1\)\n/) },
  ]);
  for (const each of fleets) expect((await each.source.read(issue, signal))?.comments).toEqual([]);
});
