import { useEffect, useState } from "preact/hooks";
import { api } from "../data/api.ts";
import { useAsked } from "../data/asked.ts";
import { rows } from "../data/fleet.ts";
import { keyName } from "../data/keys.ts";
import { go } from "../data/place.ts";
import { Answer } from "./answer.tsx";
import { attempt } from "./attempt.ts";
import { useDialog } from "./dialog.ts";
import { type Draft, draft } from "./palette.tsx";

const WAITS = new Set(["running", "waiting", "queued", "paused"]);

/** Puts a job into the queue: for whom, what, and within which limits. */
export default function NewJob({ close }: { close: () => void }) {
  const dialog = useDialog(close);
  const answer = useAsked((signal) => api.listAgents({}, undefined, { signal }), []);
  const [wanted, want] = useState(() => beginning(draft.peek()));
  useEffect(() => () => (draft.value = undefined), []);
  const set = (name: keyof typeof wanted) => (event: { currentTarget: { value: string } }) =>
    want({ ...wanted, [name]: event.currentTarget.value });
  const start = async () => {
    const { prompt, most, priority, after } = wanted;
    const agents = answer.value?.agents ?? [];
    const chosen = agents.find((agent) => keyOf(agent) === wanted.agent) ?? agents[0];
    await attempt(async () => {
      const { job } = await api.startJob(
        {},
        {
          ...(chosen && { agent: chosen.name, project: chosen.project }),
          ...(prompt.trim() !== "" && { prompt: prompt.trim() }),
          ...(most !== "" && { maxCostUsd: Number(most) }),
          ...(priority !== "" && { priority: Number(priority) }),
          ...(after !== "" && { after: [after] }),
        },
      );
      close();
      go(`/jobs/${job}`);
    }, "It is in the queue.");
  };
  const submit = (event: Event) => {
    event.preventDefault();
    void start();
  };
  return (
    <dialog ref={dialog} class="new-job" aria-label="New job">
      <form onSubmit={submit}>
        <h2>New job</h2>
        <Answer of={answer}>
          {({ agents }) => (
            <>
              <textarea
                rows={4}
                autofocus
                aria-label="What to do"
                placeholder="What should the agent do? Left empty, the agent does what its default_prompt says."
                value={wanted.prompt}
                onInput={set("prompt")}
                onKeyDown={(event) => {
                  if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) submit(event);
                }}
              />
              <div class="fields">
                <label>
                  Agent
                  <select value={wanted.agent} onChange={set("agent")}>
                    {agents.map((agent) => (
                      <option key={keyOf(agent)} value={keyOf(agent)}>
                        {agent.name}
                      </option>
                    ))}
                  </select>
                </label>
                <label>
                  At most, in $
                  <input
                    type="number"
                    min="0.01"
                    step="any"
                    placeholder="as configured"
                    value={wanted.most}
                    onInput={set("most")}
                  />
                </label>
                <label>
                  Priority
                  <input
                    type="number"
                    min="-1000"
                    max="1000"
                    placeholder="0"
                    value={wanted.priority}
                    onInput={set("priority")}
                  />
                </label>
                <label>
                  After
                  <select value={wanted.after} onChange={set("after")}>
                    <option value="">no other job</option>
                    {rows.value
                      .filter(({ status }) => WAITS.has(status))
                      .map(({ id, title }) => (
                        <option key={id} value={id}>
                          {title}
                        </option>
                      ))}
                  </select>
                </label>
              </div>
              <div class="acts">
                <button type="submit" class="main" disabled={agents.length === 0}>
                  Put it into the queue<kbd>{keyName("⌘Enter")}</kbd>
                </button>
                <button type="button" onClick={close}>
                  Not now<kbd>Esc</kbd>
                </button>
              </div>
            </>
          )}
        </Answer>
      </form>
    </dialog>
  );
}

function beginning(from: Draft | undefined) {
  const { project, agent, prompt = "", most } = from ?? {};
  return {
    agent: project !== undefined && agent !== undefined ? keyOf({ project, name: agent }) : "",
    prompt,
    most: most === undefined ? "" : String(most),
    ...{ priority: "", after: "" },
  };
}

const keyOf = ({ project, name }: { project: string; name: string }) => `${project} ${name}`;
