import { expect, it } from "vitest";
import { createClient } from "../src/client.ts";
import { queuedJob, servedProject } from "./web.ts";

it("tells Prometheus what a project comes to, in its format, and only whoever may look", async () => {
  const { project, get, token, server } = await servedProject();
  await queuedJob(project, "one");
  await queuedJob(project, "two");
  expect((await get("/metrics")).status).toBe(401);
  const hook = `Bearer ${await token([], { hook: "coder/deploy" })}`;
  expect((await get("/metrics", { authorization: hook })).status).toBe(403);
  const secret = await token(["view"]);
  const ending = new AbortController();
  const stream = createClient({ url: server.url, token: secret }).stream({}, ending);
  await stream.next();
  const answer = await get("/metrics", { authorization: `Bearer ${secret}` });
  expect(answer.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  const text = await answer.text();
  ending.abort();
  const lines = text.split("\n");
  const figure = (name: string) => {
    const line = lines.find((each) => each.startsWith(`${name}{`) || each.startsWith(`${name} `));
    return Number(line?.slice(line.lastIndexOf(" ")));
  };
  expect(text).toMatch(
    /^baton_jobs\{project="project",project_key="[\w-]+",agent="coder",status="queued"\} 2$/m,
  );
  expect(figure("baton_jobs_queued")).toBe(2);
  expect(figure("baton_events_total")).toBe(4);
  expect(figure("baton_fleet_up")).toBe(0);
  expect(figure("baton_streams")).toBe(1);
  // Every sample follows the type of its name, and each name is told once.
  const types = lines.filter((line) => line.startsWith("# TYPE ")).map((line) => line.split(" ")[2]);
  expect(new Set(types).size).toBe(types.length);
  for (const line of lines.filter((each) => each !== "" && !each.startsWith("#"))) {
    expect(line).toMatch(/^[a-z_]+(?:\{(?:[a-z_]+="(?:[^"\\\n]|\\.)*",?)*\})? -?\d+(?:\.\d+)?$/);
    expect(types).toContain(line.split(/[{ ]/)[0]);
  }
});
