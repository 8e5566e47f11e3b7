import type { TokenUsage } from "../../events.ts";

/** What a program writes down of a session while it runs, where it tells less than that. */
export interface ProgramRecord {
  /** The model's responses that were not read before. Undefined where the record cannot be found. */
  responses(): readonly RecordedResponse[] | undefined;
  /** What the tool calls of the running turn have given, by their ids. */
  outputs(): ReadonlyMap<string, string>;
  turnBegins(): void;
}

export interface RecordedResponse {
  id: string;
  usage: TokenUsage;
}
