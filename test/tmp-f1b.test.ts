import { it, expect } from "vitest";
import { steady } from "../src/simulator/scenarios/steady.ts";
import { Baton, baton, shown } from "./harness.ts";
import { type When, gitShim } from "./git-shim.ts";
import { expectDelivered, expectNextJobStarts, mend, RUN, snapshot } from "./worktree-killed.ts";
import { worktreeProject } from "./worktree.ts";

it("setup", async () => {
  const project = await worktreeProject({ scenario: steady({ steps: 1 }) });
  const shim = await gitShim(project);
  const shimmed = { ...project, env: shim.env };
  const restore = await snapshot(project);
  const first = new Baton(shimmed, RUN);
  await first.event(({ type }) => type === "workspace:ready");
  await first.kill();
  const calls = await shim.calls();
  console.log(calls.length);
  for (const when of ["before", "after"] as When[]) for (let call = 1; call <= calls.length; call++) {
    const t = Date.now();
    await restore();
    await shim.arm({ call, when });
    const killed = new Baton(shimmed, RUN);
    const ex = await killed.exit;
    const what = (await shim.calls())[call - 1]?.replaceAll(project.folder, "P");
    const at = `${when} call ${call}: git ${what}`;
    const how = (call + (when === "after" ? 1 : 0)) % 2 ? "resume" : "start-up";
    try {
      expect(ex.signal, at).toBe("SIGKILL");
      await mend(project, how, at);
      await expectDelivered(project, 1, at);
      await expectNextJobStarts(project, at);
      console.log("ok", Date.now() - t, how, at);
    } catch (e) { console.log("BAD", how, at, String(e).slice(0, 1500)); }
  }
}, 600_000);
