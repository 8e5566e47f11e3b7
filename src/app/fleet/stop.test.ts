import { expect, it, onTestFinished, vi } from "vitest";
import { temporaryFolder } from "../../../test/job-worktree.ts";
import { thisProcess } from "../../processes/owner.ts";
import { registerFleet } from "../../store/fleet/fleets.ts";
import { openFleetState } from "../../store/sqlite/fleet-state.ts";
import { stopFleet } from "./stop.ts";

it("kills no process here in the place of a fleet on another machine", async () => {
  vi.stubEnv("XDG_STATE_HOME", await temporaryFolder());
  const kill = vi.spyOn(process, "kill").mockReturnValue(true);
  onTestFinished(() => {
    kill.mockRestore();
    vi.unstubAllEnvs();
  });
  using state = openFleetState();
  registerFleet(state, { ...thisProcess(), host: "elsewhere" }, ["/project"], new Date());
  await expect(stopFleet({ root: "/project" }, "now")).rejects.toThrow(
    `process ${process.pid} on elsewhere, which cannot be seen from here`,
  );
  expect(kill).not.toHaveBeenCalled();
});
