import { signal } from "@preact/signals";
import { render } from "preact";
import { lazy, Suspense } from "preact/compat";
import { ApiError } from "../src/client.ts";
import { messageOf } from "../src/util/errors.ts";
import { startClock } from "./data/clock.ts";
import { followFleet, loadFleet, rows } from "./data/fleet.ts";
import { followInbox, loadInbox } from "./data/inbox.ts";
import { keyName, listenForKeys, useKeys } from "./data/keys.ts";
import { hear, listenLive } from "./data/live.ts";
import { followLooks } from "./data/looked.ts";
import { followTheme } from "./data/looks.ts";
import { tellOfInbox } from "./data/notices.ts";
import { followLinks, go, path } from "./data/place.ts";
import { followTitle } from "./data/title.ts";
import { ConfigurationProblems, Head } from "./frame/head.tsx";
import { PAGES } from "./frame/pages.ts";
import { Rail } from "./frame/rail.tsx";
import { Board } from "./pages/board/board.tsx";
import { Inbox } from "./pages/inbox/inbox.tsx";
import { AskedNow } from "./parts/ask.tsx";
import { KeyList, over, Palette } from "./parts/palette.tsx";
import { SaidLast } from "./parts/said.tsx";
import { Unbroken } from "./parts/unbroken.tsx";

const JobPage = lazy(() => import("./pages/job/job.tsx"));
const NewJob = lazy(() => import("./parts/new-job.tsx"));
const Schedules = lazy(() => import("./pages/schedules.tsx"));
const Work = lazy(() => import("./pages/work.tsx"));
const Spend = lazy(() => import("./pages/spend.tsx"));
const Agents = lazy(() => import("./pages/agents.tsx"));
const OwnSessions = lazy(() => import("./pages/sessions.tsx"));
const Health = lazy(() => import("./pages/health.tsx"));
const Activity = lazy(() => import("./pages/activity.tsx"));
const Settings = lazy(() => import("./pages/settings.tsx"));

/** Whether this browser may see anything, and why not. */
const entry = signal<"wait" | "in" | { problem: string }>("wait");

function App() {
  useKeys([
    ...PAGES.map(({ at, name, key }) => ({ key, does: `go to ${name}`, run: () => go(at) })),
    { key: "⌘k", does: "all commands", run: () => (over.value = "palette"), isQuiet: true },
    { key: "g n", does: "start a new job", run: () => (over.value = "new job") },
    { key: "?", does: "these keys", run: () => (over.value = "keys"), isQuiet: true },
  ]);
  if (entry.value === "wait") return <main>Loading …</main>;
  if (entry.value !== "in") return <SignedOut problem={entry.value.problem} />;
  return (
    <div class="app">
      <a class="skip" href="#main">
        Skip to the page
      </a>
      <Rail />
      <div>
        <Head />
        <main id="main" tabIndex={-1}>
          <ConfigurationProblems />
          <Unbroken key={path.value.split("/")[1]}>
            <Suspense fallback={<p class="soft">Loading …</p>}>
              <Page />
            </Suspense>
          </Unbroken>
        </main>
      </div>
      {over.value === "palette" && <Palette offers={jobOffers()} />}
      {over.value === "keys" && <KeyList />}
      {over.value === "new job" && (
        <Suspense fallback={null}>
          <NewJob close={() => (over.value = undefined)} />
        </Suspense>
      )}
      <AskedNow />
      <SaidLast />
    </div>
  );
}

function Page() {
  const [, page] = path.value.split("/");
  switch (page) {
    case "":
      return <Inbox />;
    case "board":
      return <Board />;
    case "jobs":
      return <JobPage />;
    case "schedules":
      return <Schedules />;
    case "work":
      return <Work />;
    case "spend":
      return <Spend />;
    case "agents":
      return <Agents />;
    case "sessions":
      return <OwnSessions />;
    case "health":
      return <Health />;
    case "activity":
      return <Activity />;
    case "settings":
      return <Settings />;
    default:
      return <p>There is no page here. Press {keyName("⌘K")} to go somewhere else.</p>;
  }
}

function SignedOut({ problem }: { problem: string }) {
  return (
    <main>
      <h1>Not signed in</h1>
      <p class="sub">{problem}</p>
      <p>Open the dashboard from a terminal on the machine where the fleet runs:</p>
      <pre>baton dashboard</pre>
    </main>
  );
}

function jobOffers() {
  return rows.value.map(({ id, title, agent }) => ({
    title: `${title} · ${agent}`,
    run: () => go(`/jobs/${id}`),
  }));
}

/** With the cookie that signing in left. */
async function enter(): Promise<void> {
  try {
    await Promise.all([loadFleet(), loadInbox()]);
    followFleet();
    followInbox();
    followLooks();
    tellOfInbox();
    listenLive();
    hear("revoked", () => {
      entry.value = { problem: "Your access was revoked." };
    });
    entry.value = "in";
  } catch (error) {
    const words = messageOf(error);
    entry.value = { problem: error instanceof ApiError ? words : `The server cannot be reached: ${words}` };
  }
}

followTheme();
followLinks();
listenForKeys();
startClock();
followTitle();
const root = document.getElementById("app");
if (root) render(<App />, root);
void enter();
