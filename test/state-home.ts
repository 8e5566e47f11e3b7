import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What Baton made is on record in the state folder. Tests have one of their own, for all that one process of them makes. */
const KEY = "BATON_TEST_STATE";
process.env[KEY] ??= mkdtempSync(join(tmpdir(), "baton-state-"));
process.env.XDG_STATE_HOME = process.env[KEY];
