import { choosing } from "../../data/chosen.ts";
import { type JobRow, rowOf } from "../../data/fleet.ts";
import type { InboxRow } from "../../data/inbox.ts";
import { Coded } from "../../parts/coded.tsx";
import { costOf } from "../../parts/job-line.tsx";
import { counted, lasting, moment, money } from "../../parts/words.ts";
import { AlwaysLine } from "./always.tsx";
import { Behind } from "./behind.tsx";
import type { Deed } from "./deeds.ts";
import { Questions } from "./questions.tsx";

interface CardProps {
  row: InboxRow;
  now: Date;
  isChosen: boolean;
  isMarked: boolean;
  deeds: readonly Deed[];
  because: string;
  say: (because: string) => void;
  choose: () => void;
  mark: () => void;
  act: (deed: Deed) => void;
}

const COSTS: Record<InboxRow["costs"], string> = {
  slot: "its slot is blocked",
  work: "it goes no further",
  nothing: "nothing waits for it",
};

/** One thing that waits for a person, with all that they need to decide it. */
export function InboxCard({
  row,
  now,
  isChosen,
  isMarked,
  deeds,
  because,
  say,
  choose,
  mark,
  act,
}: CardProps) {
  const [title, rest] = row.kind === "paused" || row.kind === "failed" ? inTwo(row.title) : [row.title, ""];
  const about = row.jobs.flatMap((id) => rowOf(id)?.title ?? []).filter((title) => title !== row.title);
  const [only] = row.jobs.length === 1 ? row.jobs.flatMap((id) => rowOf(id) ?? []) : [];
  const facts = only ? factsOf(only) : "";
  return (
    <article
      class={`ask${isChosen ? " chosen" : ""}${isMarked ? " marked" : ""}`}
      id={`inbox-${row.id}`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the keys act on the one that has the focus.
      tabIndex={0}
      {...choosing(choose)}
      aria-label={titleOf(row)}
    >
      <div class="asked">
        <div>
          <h2 class="what">{titleOf({ ...row, title })}</h2>
          <div class="why">
            {[...about.slice(0, MOST_NAMED), moreOf(about), row.agent].filter(Boolean).map((word) => (
              <>{word} · </>
            ))}
            {facts !== "" && <>{facts} · </>}
            waiting <b>{lasting(now.getTime() - Date.parse(row.since))}</b>, {COSTS[row.costs]}
            {row.ask?.until && <> · until {moment(row.ask.until, now)}</>}
            {row.ask?.rule && (
              <>
                {" "}
                · asked because <b>{row.ask.rule}</b> is not allowed
              </>
            )}
          </div>
        </div>
        <label class="marker">
          <input type="checkbox" checked={isMarked} onChange={mark} />
          <span class="hidden-from-eyes">Mark: {titleOf(row)}</span>
        </label>
      </div>
      {rest !== "" && (
        <p class="why always">
          <Coded text={rest} />
        </p>
      )}
      {row.ask && !row.ask.questions && <AskedCall input={row.ask.input} />}
      {row.ask?.cut !== undefined && (
        <span class="why">{row.ask.cut} more characters are left out here.</span>
      )}
      {row.ask?.calls && <span class="why">The same answer calls, too: {row.ask.calls.join(" · ")}</span>}
      {row.ask?.questions && (
        <Questions
          row={row}
          isChosen={isChosen}
          answered={(run) => act({ name: "Answer", key: "", done: "Answered.", run })}
        />
      )}
      <div class="acts">
        {deeds.map((deed, index) => (
          <button
            type="button"
            key={deed.key}
            class={index === 0 && row.kind !== "question" ? "main" : undefined}
            onClick={() => act(deed)}
          >
            {deed.name}
            {isChosen && <kbd>{deed.key === "Enter" ? "↵" : deed.key}</kbd>}
          </button>
        ))}
        {row.kind === "approval" && isChosen && (
          <input
            class="because"
            aria-label="Why not, if you say no"
            placeholder="Why not, if you say no"
            value={because}
            onInput={(event) => say(event.currentTarget.value)}
            onKeyDown={(event) => event.key === "Escape" && event.currentTarget.blur()}
          />
        )}
      </div>
      {/* Below what can be pressed: choosing a row must not move that under the pointer. */}
      {isChosen && <Behind row={row} now={now} />}
      {row.kind === "approval" && row.ask?.rule && isChosen && <AlwaysLine ask={row.id} />}
      {ON_TERMINAL.has(row.kind) &&
        row.actions.map(({ does, command }) => (
          <p class="why always" key={command}>
            On your terminal, to {does}: <code>{command}</code>
          </p>
        ))}
    </article>
  );
}

/** What can be done about these is not for a page to do: it is the person's own configuration. */
const ON_TERMINAL: ReadonlySet<string> = new Set(["configuration", "denied"]);

/** How far its job has come. */
function factsOf(job: JobRow): string {
  const { sessions, handoffs, costUsd, simulatedCostUsd = 0, costLimitUsd } = job;
  const limit = costLimitUsd === undefined ? "" : ` of ${money(costLimitUsd)}`;
  return [
    sessions > 1 ? `session ${sessions}, ${counted(handoffs, "handoff")}` : "",
    (costUsd ?? 0) + simulatedCostUsd > 0 ? `${costOf(job)}${limit}` : "",
  ]
    .filter(Boolean)
    .join(" · ");
}

/** Of several jobs, as many are named. */
const MOST_NAMED = 3;

function moreOf({ length }: readonly string[]): string | undefined {
  return length > MOST_NAMED ? `${length - MOST_NAMED} more` : undefined;
}

/** What happened, and what else is to be said of it. */
function inTwo(title: string): [string, string] {
  const end = /[.!?] (?=[A-Z“"`])/.exec(title)?.index;
  return end === undefined ? [title, ""] : [title.slice(0, end + 1), title.slice(end + 2)];
}

/** The whole call; of an edit, what would go and what would come. */
function AskedCall({ input }: { input: string }) {
  return (
    <pre>
      {[...input.matchAll(/.+\n?|\n/g)].map(({ 0: line, index: at }) => (
        <span key={at} class={EDITS[line.slice(0, 2).trimEnd()]}>
          {line}
        </span>
      ))}
    </pre>
  );
}

const EDITS: Record<string, string> = { "+": "plus", "-": "minus" };

function titleOf(row: InboxRow): string {
  switch (row.kind) {
    case "approval":
      return `${row.agent ?? "An agent"} wants to use ${row.ask?.tool ?? "a tool"}`;
    case "question":
      return `${row.agent ?? "An agent"} asks: ${row.title}`;
    case "paused":
      return `Paused: ${row.title}`;
    case "failed":
      return `Failed: ${row.title}`;
    case "review":
      return `Ready for review: ${row.title}`;
    case "stall":
      return `May be stuck: ${row.title}`;
    case "circles":
      return `May go in circles: ${row.title}`;
    case "work":
      return `Changed since it was claimed: ${row.title}`;
    case "configuration":
      return `The configuration cannot be used: ${row.title}`;
    default:
      return row.title;
  }
}
