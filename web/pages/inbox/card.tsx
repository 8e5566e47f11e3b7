import { useState } from "preact/hooks";
import { api } from "../../data/api.ts";
import type { InboxRow } from "../../data/inbox.ts";
import { useKeys } from "../../data/keys.ts";
import { go } from "../../data/place.ts";
import { lasting, moment } from "../../parts/words.ts";

interface CardProps {
  row: InboxRow;
  now: Date;
  isChosen: boolean;
  choose: () => void;
  act: (work: () => Promise<unknown>, done: string) => void;
}

interface Deed {
  name: string;
  key: string;
  run: () => void;
}

const COSTS: Record<InboxRow["costs"], string> = {
  slot: "its slot is blocked",
  work: "it goes no further",
  nothing: "nothing waits for it",
};

/** One thing that waits for a person, with all that they need to decide it. */
export function InboxCard({ row, now, isChosen, choose, act }: CardProps) {
  const [said, setSaid] = useState("");
  const deeds = deedsOf(row, act, said);
  useKeys(isChosen ? deeds.map(({ name, key, run }) => ({ key, does: name.toLowerCase(), run })) : []);
  const waited = lasting(now.getTime() - Date.parse(row.since));
  return (
    <article
      class={`ask${isChosen ? " chosen" : ""}`}
      id={`inbox-${row.id}`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the keys act on the one that has the focus.
      tabIndex={0}
      onFocus={choose}
      aria-label={row.title}
    >
      <div>
        <div class="what">{titleOf(row)}</div>
        <div class="why">
          {row.agent && <>{row.agent} · </>}
          waiting <b>{waited}</b>, {COSTS[row.costs]}
          {row.ask?.until && <> · until {moment(row.ask.until, now)}</>}
          {row.ask?.rule && (
            <>
              {" "}
              · asked because <b>{row.ask.rule}</b> is not allowed
            </>
          )}
        </div>
        <ul class="causes">
          {row.why.map(({ at, text }) => (
            <li key={`${at} ${text}`}>
              {moment(at, now)} <span class="soft">{text}</span>
            </li>
          ))}
        </ul>
      </div>
      {row.ask && !row.ask.questions && <pre>{row.ask.input}</pre>}
      {row.ask?.cut !== undefined && (
        <span class="why">{row.ask.cut} more characters are left out here.</span>
      )}
      {row.ask?.questions && <Questions row={row} act={act} />}
      {row.kind === "approval" && (
        <input
          aria-label="Why not, if you say no"
          placeholder="Why not, if you say no"
          value={said}
          onInput={(event) => setSaid(event.currentTarget.value)}
        />
      )}
      <div class="acts">
        {deeds.map(({ name, key, run }, index) => (
          <button type="button" key={name} class={index === 0 ? "main" : undefined} onClick={run}>
            {name}
            <kbd>{key}</kbd>
          </button>
        ))}
        {row.kind === "approval" && row.ask?.rule && (
          <span class="why">
            always, on your own terminal: <code>baton approve {row.id} --always</code>
          </span>
        )}
      </div>
    </article>
  );
}

function titleOf(row: InboxRow): string {
  switch (row.kind) {
    case "approval":
      return `${row.agent ?? "An agent"} wants to use ${row.ask?.tool ?? "a tool"}`;
    case "question":
      return `${row.agent ?? "An agent"} asks: ${row.title}`;
    default:
      return row.title;
  }
}

function deedsOf(row: InboxRow, act: CardProps["act"], said: string): Deed[] {
  const [job] = row.jobs;
  const look: Deed[] =
    job === undefined ? [] : [{ name: "Look", key: "Enter", run: () => go(`/jobs/${job}`) }];
  const answer = (body: { answer: "yes" } | { answer: "no"; because?: string }) =>
    api.answerAsk({ ask: row.id }, { ...body, ...digestOf(row) });
  const each = (work: (id: string) => Promise<unknown>) => () => Promise.all(row.jobs.map(work));
  switch (row.kind) {
    case "approval":
      return [
        { name: "Allow once", key: "a", run: () => act(() => answer({ answer: "yes" }), "Allowed.") },
        {
          name: "Deny",
          key: "d",
          run: () =>
            act(
              () => answer({ answer: "no", ...(said.trim() !== "" && { because: said.trim() }) }),
              "Denied.",
            ),
        },
        ...look,
      ];
    case "question":
    case "configuration":
      return look;
    case "paused":
      return [
        {
          name: "Resume",
          key: "r",
          run: () =>
            act(
              each((id) => api.resumeJob({ job: id }, {})),
              "It continues.",
            ),
        },
        ...look,
      ];
    case "failed":
      return [
        {
          name: row.jobs.length > 1 ? `Retry all ${row.jobs.length}` : "Retry",
          key: "r",
          run: () =>
            act(
              each((id) => api.retryJob({ job: id })),
              "It starts again.",
            ),
        },
        ...look,
      ];
    default:
      return look;
  }
}

/** The agent's own questions, each with its options, or an answer in words. */
function Questions({ row, act }: Pick<CardProps, "row" | "act">) {
  const questions = row.ask?.questions ?? [];
  const [texts, setTexts] = useState<readonly string[]>(questions.map(() => ""));
  const set = (index: number, text: string) => setTexts(texts.map((old, at) => (at === index ? text : old)));
  const send = () =>
    act(
      () => api.answerAsk({ ask: row.id }, { answer: "text", texts: [...texts], ...digestOf(row) }),
      "Answered.",
    );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      {questions.map(({ question, options }, index) => (
        <fieldset key={question} class="question">
          <legend>{question}</legend>
          {options.map(({ label, description }) => (
            <label key={label}>
              <input
                type="radio"
                name={`${row.id} ${index}`}
                checked={texts[index] === label}
                onChange={() => set(index, label)}
              />
              {label} {description && <span class="soft">{description}</span>}
            </label>
          ))}
          <input
            aria-label={`Answer in your own words: ${question}`}
            placeholder="or in your own words"
            value={options.some(({ label }) => label === texts[index]) ? "" : texts[index]}
            onInput={(event) => set(index, event.currentTarget.value)}
          />
        </fieldset>
      ))}
      <button type="submit" class="main" disabled={texts.some((text) => text.trim() === "")}>
        Answer
      </button>
    </form>
  );
}

/** An answer holds for what the person was shown, and for nothing else. */
function digestOf({ ask }: InboxRow): { digest?: string } {
  return ask ? { digest: ask.digest } : {};
}
