import type { AnswerOf } from "../../src/http/contract.ts";
import { api } from "../data/api.ts";
import { useAsked } from "../data/asked.ts";
import { now } from "../data/clock.ts";
import { type Fleet, fleet } from "../data/fleet.ts";
import { Answer, Nothing } from "../parts/answer.tsx";
import { isSure } from "../parts/ask.tsx";
import { attempt } from "../parts/attempt.ts";
import { Bar } from "../parts/bar.tsx";
import { Coded } from "../parts/coded.tsx";
import { Fact } from "../parts/fact.tsx";
import { Status } from "../parts/status.tsx";
import { bytes, counted, lasting, moment } from "../parts/words.ts";

type Server = AnswerOf<"getServer">;
type Room = Server["projects"][number];
type Workspace = AnswerOf<"listWorkspaces">["workspaces"][number];
type Finding = AnswerOf<"getDoctor">["projects"][number]["findings"][number];

const MINUTE_MS = 60_000;

/** Whether the machine has what the fleet needs, and where its room went. */
export default function Health() {
  const minute = Math.floor(now.value.getTime() / MINUTE_MS);
  const server = useAsked((signal) => api.getServer({}, undefined, { signal }), [minute]);
  const worktrees = useAsked((signal) => api.listWorkspaces({ sizes: "true" }, undefined, { signal }), []);
  const doctor = useAsked((signal) => api.getDoctor({}, undefined, { signal }), []);
  return (
    <>
      <section>
        <h1>Health</h1>
        <Answer of={server}>{(value) => <ServerFacts server={value} now={now.value} />}</Answer>
      </section>
      <section>
        <Answer of={worktrees} meanwhile="Measuring the worktrees …">
          {({ workspaces }) => <Worktrees all={workspaces} />}
        </Answer>
      </section>
      <section>
        <Answer of={doctor} meanwhile="Looking what is installed …">
          {({ projects }) => <Findings all={projects.flatMap(({ findings }) => findings)} />}
        </Answer>
      </section>
    </>
  );
}

function ServerFacts({ server, now }: { server: Server; now: Date }) {
  const { version, node, host, pid, since, memory, load, projects } = server;
  return (
    <>
      <p class="sub">
        Baton {version} on {host}, Node {node}, process {pid}, up for{" "}
        {lasting(now.getTime() - Date.parse(since))}
      </p>
      <div class="pair">
        <div class="card">
          <h2>Room</h2>
          <dl class="facts">
            <Fact name="memory available">
              {bytes(memory.free)} of {bytes(memory.total)}
            </Fact>
            <Fact name="load of the last minute">
              {load.minute.toFixed(1)} on {counted(load.processors, "processor")}
            </Fact>
            {projects.map(({ project, name, disk }) =>
              disk ? (
                <Fact key={project} name={projects.length > 1 ? `disk of ${name}` : "disk free"}>
                  {bytes(disk.free)} of {bytes(disk.total)}
                </Fact>
              ) : null,
            )}
            {projects.map(({ project, name, store }) => (
              <Fact key={project} name={projects.length > 1 ? `store of ${name}` : "store"}>
                {bytes(store.bytes)}
              </Fact>
            ))}
          </dl>
        </div>
        <div class="card">
          <h2>Fleet</h2>
          {(fleet.value?.projects ?? []).map((project) => (
            <Worker key={project.key} project={project} now={now} />
          ))}
        </div>
      </div>
      {projects.map((room) => (
        <Maintenance key={room.project} room={room} isOnly={projects.length === 1} />
      ))}
    </>
  );
}

/** What runs the jobs of a project, and the queue that it takes them from. */
function Worker({ project, now }: { project: Fleet["projects"][number]; now: Date }) {
  const { key, name, state, slots, since, isPaused, chats = [] } = project;
  const of = { project: key };
  const drain = async () => {
    const title = `Drain the fleet of ${name}?`;
    const text = "What runs is finished, nothing more starts, and then the fleet ends.";
    if (await isSure({ title, text, does: "Drain" })) {
      await attempt(() => api.drainFleet({}, of), "The fleet ends once running jobs have finished.");
    }
  };
  const reload = () =>
    attempt(async () => {
      const { projects } = await api.reloadFleet({}, of);
      const problem = projects.find((each) => each.problem !== undefined)?.problem;
      if (problem !== undefined) throw new Error(problem);
    }, "The configuration was read again.");
  return (
    <div class="worker">
      <Status
        status={isPaused ? "paused" : state === "running" ? "running" : "cancelled"}
        word={isPaused ? `${state}, its queue is paused` : state}
      />
      <span class="title">{name}</span>
      <span class="meta">
        {[
          state !== "not running" && slots ? `${slots.taken} of ${slots.total} slots` : undefined,
          since === undefined ? undefined : `since ${moment(since, now)}`,
        ]
          .filter(Boolean)
          .join(" · ")}
      </span>
      <span class="acts">
        <button
          type="button"
          onClick={() =>
            void (isPaused
              ? attempt(() => api.resumeFleet({}, of), "Jobs start from the queue again.")
              : attempt(() => api.pauseFleet({}, of), "Nothing more starts. What runs continues."))
          }
        >
          {isPaused ? "Resume the queue" : "Pause the queue"}
        </button>
        {state === "running" && (
          <>
            <button type="button" onClick={() => void reload()}>
              Read the configuration again
            </button>
            <button type="button" onClick={() => void drain()}>
              Drain
            </button>
          </>
        )}
      </span>
      {chats.map((chat) => (
        <Chat key={chat.service} chat={chat} now={now} />
      ))}
    </div>
  );
}

type ChatBot = NonNullable<Fleet["projects"][number]["chats"]>[number];

const CHAT_STATES = { connected: "running", connecting: "waiting", failed: "failed" } as const;

/** A bot through which people talk with the agents. */
function Chat({ chat: { service, state, since, problem }, now }: { chat: ChatBot; now: Date }) {
  return (
    <span class="wraps">
      <Status status={CHAT_STATES[state]} word={`${service}: ${state}`} />{" "}
      <span class="meta">
        {[since === undefined ? undefined : `since ${moment(since, now)}`, problem]
          .filter(Boolean)
          .join(" · ")}
      </span>
    </span>
  );
}

function Maintenance({ room: { name, maintenance, problem }, isOnly }: { room: Room; isOnly: boolean }) {
  if (problem !== undefined)
    return (
      <div class="notice bad">
        The configuration of {name} cannot be read: {problem}
      </div>
    );
  if (!maintenance) return null;
  const { worktreesEveryMs, worktreesKeptMs, journalsKeptMs } = maintenance;
  return (
    <p class="soft">
      {isOnly ? "Maintenance" : `Maintenance of ${name}`}:{" "}
      {worktreesEveryMs === undefined
        ? "worktrees are not tidied up by themselves."
        : `worktrees are looked at every ${lasting(worktreesEveryMs)} while jobs run, and go after ${lasting(worktreesKeptMs)} if nothing in them would be lost.`}{" "}
      {journalsKeptMs === undefined
        ? "Journals are kept whole."
        : `Journals are compacted after ${lasting(journalsKeptMs)}.`}{" "}
      To do it now: <code>baton maintain</code>
    </p>
  );
}

const FATES: Record<string, string> = {
  keep: "kept",
  "look-at-branch": "kept until it is merged",
  finish: "its job is still to be ended",
  discard: "to be removed",
  remove: "to be removed",
  "go-on-removing": "to be removed",
};

function Worktrees({ all }: { all: readonly Workspace[] }) {
  const sorted = all.toSorted((a, b) => (b.size?.bytes ?? 0) - (a.size?.bytes ?? 0));
  const total = all.reduce((sum, { size }) => sum + (size?.bytes ?? 0), 0);
  const most = Math.max(1, sorted[0]?.size?.bytes ?? 0);
  return (
    <div class="rows">
      <div class="group">
        <h2>Worktrees</h2>
        <span>{all.length === 0 ? "none" : `${counted(all.length, "place")}, ${bytes(total)}`}</span>
      </div>
      {all.length === 0 && (
        <p class="entry inset soft">
          Jobs have left no worktree and no branch. They have one of their own with{" "}
          <code>{"workspace: { strategy: git_worktree }"}</code>
        </p>
      )}
      {sorted.map((workspace) => {
        const { job, status, path, branch, reason, action, size, has } = workspace;
        return (
          <div class="entry" key={`${job} ${path}`}>
            <div class="line worktree">
              <Status status={status} />
              <span class="wide">
                <a class="title" href={`/jobs/${job}`}>
                  {branch ?? path ?? job}
                </a>
                <span class="meta">{has === "branch" ? "only its branch is left" : path}</span>
              </span>
              <span class="wide wraps soft">
                {FATES[action] ?? action}: {reason}
              </span>
              <span class="gauge wide">
                {size && (
                  <>
                    <Bar share={size.bytes / most} isNear={false} />
                    <span>
                      {size.isWhole ? "" : "over "}
                      {bytes(size.bytes)}
                    </span>
                  </>
                )}
              </span>
            </div>
          </div>
        );
      })}
    </div>
  );
}

const STATES: Record<Finding["state"], { status: string; word: string }> = {
  ok: { status: "completed", word: "ok" },
  absent: { status: "cancelled", word: "not there" },
  warn: { status: "paused", word: "look at it" },
  fail: { status: "failed", word: "missing" },
};

const ORDER: Finding["state"][] = ["fail", "warn", "ok", "absent"];

function Findings({ all }: { all: readonly Finding[] }) {
  if (all.length === 0) return <Nothing says="Nothing was looked at." command="baton doctor" />;
  const sorted = all.toSorted((a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state));
  const wrong = all.filter(({ state }) => state === "fail" || state === "warn").length;
  return (
    <div class="rows">
      <div class="group">
        <h2>Doctor</h2>
        <span>{wrong === 0 ? "all that is needed is there" : `${counted(wrong, "thing")} to look at`}</span>
      </div>
      {sorted.map(({ name, state, found, fix }) => (
        <div class="entry" key={`${name} ${found}`}>
          <div class="line finding">
            <Status {...STATES[state]} />
            <span class="title">{name}</span>
            <span class="wide wraps">
              <Coded text={found} />
              {fix !== undefined && (
                <span class="block soft">
                  <Coded text={fix} />
                </span>
              )}
            </span>
          </div>
        </div>
      ))}
    </div>
  );
}
