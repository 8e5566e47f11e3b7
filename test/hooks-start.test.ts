import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { steady } from "../src/simulator/scenarios/steady.ts";
import { baton, inSmallWindows, ofType, shown, smallWindows, stepsDone, upTo } from "./harness.ts";
import { firstMessages, hookedProject, hookRuns, RUN, records, told } from "./hooked.ts";

const scenario = steady({ steps: 2 });

it("a hook of before_run that must not fail keeps the job from beginning", async () => {
  const project = await hookedProject({
    scenario,
    hooks: {
      before_run: [
        records("licence", `[ -e "$SEEN/granted" ] || { echo none left >&2; exit 7; }`, {
          continue_on_error: false,
        }),
        records("second"),
      ],
      after_run: [records("end")],
      on_error: [records("error")],
    },
  });
  const refused = await baton(project, RUN);
  expect(refused.code, refused.stdout).toBe(1);
  expect(project.simulator.requests).toEqual([]);
  const job = await shown(project);
  expect(job).toMatchObject({ status: "failed", sessions: [] });
  const why = 'The hook "licence" of before_run failed: it ended with exit code 7: none left';
  expect(job.error).toBe(why);
  expect(hookRuns(refused.events)).toEqual(["before_run licence", "after_run end", "on_error error"]);
  expect(await told(project, "licence")).toMatchObject([
    { event: "before_run", job: { id: job.id, status: "running", prompt: "Write the files.", sessions: 0 } },
  ]);
  expect(await told(project, "error")).toMatchObject([{ event: "failed", result: { error: why } }]);

  await writeFile(join(project.seen, "granted"), "");
  const resumed = await baton(project, ["resume", job.id, "--json"]);
  expect(resumed.code, resumed.stdout).toBe(0);
  expect(hookRuns(resumed.events)).toEqual(["before_run licence", "before_run second", "after_run end"]);
  expect(await stepsDone(project)).toEqual(upTo(2));
});

it("before_run and on_session_start are not run again for a session that is resumed", async () => {
  const project = await hookedProject({
    scenario,
    agent: "limits: { turns: 1 }",
    hooks: { before_run: [records("before")], on_session_start: [records("start")] },
  });
  const paused = await baton(project, RUN);
  expect(paused.code, paused.stdout).toBe(3);
  await writeFile(
    join(project.folder, "baton.yaml"),
    (await readFile(join(project.folder, "baton.yaml"), "utf8")).replace("turns: 1", "turns: 9"),
  );
  const resumed = await baton(project, ["resume", (await shown(project)).id, "--json"]);
  expect(resumed.code, resumed.stdout).toBe(0);
  expect(hookRuns(resumed.events)).toEqual([]);
  expect(await told(project, "before")).toHaveLength(1);
  expect(await told(project, "start")).toHaveLength(1);
});

it("what hooks of on_session_start print is put before each session's prompt, up to a limit", async () => {
  const project = await hookedProject({
    scenario: inSmallWindows(5),
    agent: `session: { ${smallWindows} }`,
    hooks: {
      on_session_start: [
        records("start", "echo '# House rules'; echo 'Be kind.'"),
        records("more", "echo '# Only after a handoff'; yes 0123456789 | head -c 20000", {
          when: "session.is_continuation",
        }),
        { type: "shell", name: "broken", command: "echo not this; exit 1" },
      ],
    },
  });
  const ran = await baton(project, RUN);
  expect(ran.code, ran.stdout).toBe(0);
  expect(await stepsDone(project)).toEqual(upTo(5));
  const [first = "", second = ""] = firstMessages(project);
  expect(first).toMatch(/# House rules\nBe kind\.\n\nWrite the files\.$/);
  expect(second).toMatch(
    /# House rules\nBe kind\.\n\n# Only after a handoff\n0123456789\n[\d\n]+\n\nYou take over/,
  );
  expect(second.slice(second.indexOf("# House"), second.indexOf("\n\nYou take over"))).toHaveLength(16_000);
  expect(first + second).not.toContain("not this");
  expect(ofType(ran.events, "warning")).toMatchObject([
    { message: expect.stringContaining("on_session_start printed was cut") },
  ]);

  const { sessions, handoffs } = await shown(project);
  const [fresh, continued] = await told(project, "start");
  expect(fresh?.session).toEqual({
    session_id: sessions[0].id,
    agent_name: "coder",
    job_id: ran.events[0]?.job,
    working_directory: project.folder,
    is_continuation: false,
    handoff_count: 0,
  });
  expect(fresh?.prompt).toBe("Write the files.");
  expect(continued?.session).toMatchObject({
    session_id: sessions[1].id,
    is_continuation: true,
    handoff_count: 1,
    previous_session_id: sessions[0].id,
    document_path: handoffs[0].documentPath,
  });
  expect(continued?.prompt).toMatch(/^You take over work in progress/);

  const continuing = await baton(project, ["continue", handoffs[0].documentPath, "--json"]);
  expect(continuing.code, continuing.stdout).toBe(0);
  expect((await told(project, "start"))[2]?.session).toMatchObject({
    is_continuation: true,
    handoff_count: 1,
    previous_session_id: sessions[0].id,
    document_path: handoffs[0].documentPath,
  });
});
