import type { SessionSpec } from "../../agent.ts";
import type { AgentEvent } from "../../events.ts";
import { Transcript } from "./transcript.ts";

/**
 * The transcript of a session, from the first thing that it is told. One that cannot be written must not end the work: its
 * facts are in the journal, too.
 */
export class Recording {
  readonly #spec: SessionSpec;
  #transcript: Transcript | undefined;

  constructor(spec: SessionSpec) {
    this.#spec = spec;
  }

  /** What the program calls the session, before it is told anything. */
  begin(programSession: string): void {
    if (!this.#transcript) this.#write((transcript) => transcript.begin(programSession));
  }

  add(event: AgentEvent): void {
    if (this.#transcript) this.#write((transcript) => transcript.add(event));
  }

  cost(costUsd: number): void {
    this.#write((transcript) => transcript.cost(costUsd));
  }

  lost(): void {
    this.#write((transcript) => transcript.lost());
  }

  close(): void {
    this.#transcript?.close();
  }

  #write(what: (transcript: Transcript) => void): void {
    try {
      this.#transcript ??= new Transcript(this.#spec.env, this.#spec.sessionId);
      what(this.#transcript);
    } catch {
      // As above.
    }
  }
}
