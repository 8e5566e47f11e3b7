import { useState } from "preact/hooks";
import { api } from "../../data/api.ts";
import { isOver, useJob } from "../../data/job.ts";
import { keyName, useKeys } from "../../data/keys.ts";
import { attempt } from "../../parts/attempt.ts";

const MOMENTS = { boundary: "at the next boundary", turn: "after this turn", end: "when done" } as const;

type Moment = keyof typeof MOMENTS;

/** What a person tells an agent at work, and what waits to be told. */
export function Composer({ job: id }: { job: string }) {
  const { job, reload } = useJob(id);
  const [text, setText] = useState("");
  const [at, setAt] = useState<Moment>("boundary");
  useKeys([
    { key: "m", does: "tell the agent something", run: () => document.getElementById("tell")?.focus() },
  ]);
  const send = async () => {
    if (text.trim() === "") return;
    const sent = await attempt(() => api.sendMessage({ job: id }, { text, at }));
    if (sent) setText("");
    reload();
  };
  const waiting = job?.messages ?? [];
  if (job && isOver(job)) return null;
  return (
    <div>
      {waiting.map((message) => (
        <Waiting key={message.id} job={id} message={message} changed={reload} />
      ))}
      <form
        class="compose"
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <textarea
          id="tell"
          rows={1}
          aria-label={`Tell ${job?.runsOn ?? "the agent"} something`}
          placeholder={`Tell ${job?.runsOn ?? "the agent"} something …`}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) void send();
            else if (event.key === "Escape") event.currentTarget.blur();
            else return;
            event.preventDefault();
          }}
        />
        <fieldset class="segments">
          <legend class="hidden-from-eyes">When</legend>
          {Object.entries(MOMENTS).map(([value, words]) => (
            <label key={value}>
              <input
                type="radio"
                name="when"
                checked={at === value}
                onChange={() => setAt(value as Moment)}
              />
              {words}
            </label>
          ))}
        </fieldset>
        <button type="submit" class="main" disabled={text.trim() === ""}>
          Send<kbd>{keyName("⌘Enter")}</kbd>
        </button>
      </form>
    </div>
  );
}

interface WaitingProps {
  job: string;
  message: { id: number; text: string; at: Moment };
  changed: () => void;
}

/** Until the agent has heard it, it can be changed or taken back. */
function Waiting({ job, message, changed }: WaitingProps) {
  const [text, setText] = useState<string | undefined>(undefined);
  const params = { job, message: String(message.id) };
  const act = async (work: () => Promise<unknown>) => {
    await attempt(work);
    setText(undefined);
    changed();
  };
  return (
    <div class="event person">
      <span class="at">queued</span>
      <span aria-hidden="true">›</span>
      <span class="what">
        {text === undefined ? (
          message.text
        ) : (
          <textarea
            rows={2}
            aria-label="Change the message"
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        )}{" "}
        <span class="faint">{MOMENTS[message.at]}</span>
      </span>
      <span class="acts">
        {text === undefined ? (
          <button type="button" onClick={() => setText(message.text)}>
            Edit
          </button>
        ) : (
          <button type="button" onClick={() => void act(() => api.changeMessage(params, { text }))}>
            Save
          </button>
        )}
        <button type="button" onClick={() => void act(() => api.removeMessage(params))}>
          Remove
        </button>
      </span>
    </div>
  );
}
