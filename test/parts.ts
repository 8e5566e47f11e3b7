/** Parts of Baton for processes that a test starts to be killed or to meet: from the bundle they load in a tenth of the time. */
export { Journal } from "../src/jobs/journal.ts";
export { thisProcess } from "../src/processes/owner.ts";
export { claimJob } from "../src/store/claims.ts";
export { forgetJob } from "../src/store/forget.ts";
export { openStore } from "../src/store/store.ts";
export { sweepInterrupted } from "../src/store/sweep.ts";
export { removeWorktree } from "../src/workspace/removal/remove.ts";
export { openJobs } from "./workspace-job.ts";
