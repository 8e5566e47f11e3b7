import { join } from "node:path";
import { openStore } from "../src/store/store.ts";
import { runInLibrary } from "./library.ts";
import { SmallAgent } from "./small-agent.ts";

// Takes a job up again in a process of its own, and prints its events.
const [folder = "", job = ""] = process.argv.slice(2);
await using store = await openStore(join(folder, ".baton", "baton.db"));
const resumed = await runInLibrary(store, folder, { agent: new SmallAgent(), limits: { turns: 1 }, job });
resumed.journal.subscribe((event) => console.log(JSON.stringify(event)));
await resumed.ended;
