import { useState } from "preact/hooks";
import { api } from "../data/api.ts";
import { go } from "../data/place.ts";
import { attempt } from "./attempt.ts";

interface ForkProps {
  job: string;
  from: { kind: "handoff" | "checkpoint"; number: number };
  isOpen?: boolean;
}

/** A new job in a worktree of its own that continues from this moment. The job it comes from stays as it is. */
export function Fork({ job, from, isOpen: first = false }: ForkProps) {
  const [isOpen, open] = useState(first);
  const [says, setSays] = useState("");
  const name = `${from.kind} ${from.number}`;
  const fork = () =>
    attempt(async () => {
      const otherwise = says.trim();
      const { job: made } = await api.forkJob(
        { job },
        { from, ...(otherwise !== "" && { says: otherwise }) },
      );
      go(`/jobs/${made}`);
    }, `Forked from ${name}: this is the new job.`);
  if (!isOpen) {
    return (
      <button type="button" aria-label={`Fork from here: ${name}`} onClick={() => open(true)}>
        Fork from here
      </button>
    );
  }
  return (
    <form
      class="fork"
      onSubmit={(event) => {
        event.preventDefault();
        void fork();
      }}
    >
      <textarea
        rows={2}
        aria-label={`What the fork from ${name} should do differently`}
        placeholder="What should it do differently? It is added to the request."
        value={says}
        onInput={(event) => setSays(event.currentTarget.value)}
      />
      <span class="acts">
        <button type="submit" class="main">
          Fork from {name}
        </button>
        <button type="button" onClick={() => open(false)}>
          Cancel
        </button>
      </span>
    </form>
  );
}
