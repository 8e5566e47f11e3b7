import { api } from "../../data/api.ts";
import { useAsked } from "../../data/asked.ts";
import { now } from "../../data/clock.ts";
import { useJob } from "../../data/job.ts";
import { query } from "../../data/place.ts";
import { copy } from "../../parts/copy.ts";
import { Fact } from "../../parts/fact.tsx";
import { Fork } from "../../parts/fork.tsx";
import { firstLine, moment } from "../../parts/words.ts";

const RUN = "workspace:command,hook";

/** Where a job works, why that is kept, what was run around it, and the moments that one can return to. */
export default function Workspace({ job: id }: { job: string }) {
  const { job } = useJob(id);
  const about = [id, job?.seq];
  const { value: kept } = useAsked(
    (signal) => api.listWorkspaces({}, undefined, { signal }),
    [id, job?.status],
  );
  const { value: points, error } = useAsked(
    (signal) => api.listCheckpoints({ job: id }, undefined, { signal }),
    about,
  );
  const { value: run } = useAsked(
    (signal) => api.listEvents({ job: id, kinds: RUN, limit: 100 }, undefined, { signal }),
    about,
  );
  if (!job) return <p class="soft">Loading …</p>;
  const { workspace, container } = job;
  if (!workspace) return <p class="nothing">It has not started yet, so it has no folder.</p>;
  const standing = kept?.workspaces.find((one) => one.job === id);
  const wanted = Number(query.value.get("checkpoint"));
  return (
    <section aria-label="Workspace" class="cols">
      <div>
        <div class="rows scrolls">
          <table class="table">
            <caption class="hidden-from-eyes">Checkpoints</caption>
            <thead>
              <tr>
                <th scope="col">Checkpoint</th>
                <th scope="col">When</th>
                <th scope="col">What for</th>
                <th scope="col">
                  <span class="hidden-from-eyes">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {points?.checkpoints.toReversed().map(({ number, at, subject, commit }) => (
                <tr key={number} class={number === wanted ? "found" : undefined}>
                  <td>
                    {number} <code class="faint">{commit.slice(0, 8)}</code>
                  </td>
                  <td>{moment(at, now.value)}</td>
                  <td>{firstLine(subject.replace(`${id}: `, ""))}</td>
                  <td class="acts">
                    <a class="link" href={`/jobs/${id}/changes?since=${number}`}>
                      changes since
                    </a>
                    <Fork job={id} from={{ kind: "checkpoint", number }} isOpen={number === wanted} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
          {error && <p class="notice bad">{error}</p>}
          {points?.checkpoints.length === 0 && <p class="nothing">No checkpoint has been made.</p>}
        </div>
        <div class="rows">
          <div class="group">
            <h2>What was run around it</h2>
          </div>
          {run?.events.length === 0 && <p class="nothing">No hook and no command of the workspace.</p>}
          {run?.events.map(({ seq, at, title, text, tone }) => (
            <div class={`event ${tone ?? ""}`} key={seq}>
              <a class="at" href={`/jobs/${id}?event=${seq}`}>
                {moment(at, now.value)}
              </a>
              <span class="sign" aria-hidden="true">
                {tone === "bad" ? "✕" : "·"}
              </span>
              <span class="what">
                <b>{title}</b> {text}
              </span>
            </div>
          ))}
        </div>
      </div>
      <div>
        <div class="card">
          <h2>Where it works</h2>
          <p class="file-path">
            <code>{workspace.path}</code>{" "}
            <button type="button" onClick={() => void copy(workspace.path, "The path is copied.")}>
              Copy
            </button>
          </p>
          <dl class="facts">
            {workspace.branch && <Fact name="branch">{workspace.branch}</Fact>}
            {workspace.baseBranch && <Fact name="to be merged into">{workspace.baseBranch}</Fact>}
            {workspace.base && <Fact name="began from">{workspace.base.slice(0, 12)}</Fact>}
            {workspace.ports && workspace.ports.length > 0 && (
              <Fact name="ports">{workspace.ports.join(", ")}</Fact>
            )}
            {workspace.pushed && <Fact name="pushed">{workspace.pushed}</Fact>}
            {workspace.pullRequest && <Fact name="pull request">{workspace.pullRequest}</Fact>}
          </dl>
        </div>
        <div class="card">
          <h2>Why it is kept</h2>
          <p>
            {standing?.reason ??
              workspace.reason ??
              (workspace.state === "removed"
                ? "It is not: its worktree was removed when the job was over."
                : "It is the project's own folder, which Baton neither makes nor removes.")}
          </p>
        </div>
        {container && (
          <div class="card">
            <h2>Its container</h2>
            <dl class="facts">
              <Fact name="engine">{container.engine}</Fact>
              {container.image && <Fact name="image">{container.image}</Fact>}
              <Fact name="hosts denied">{container.deniedHosts}</Fact>
            </dl>
          </div>
        )}
      </div>
    </section>
  );
}
