import { messageOf } from "../util/errors.ts";
import { oneLine } from "../util/printable.ts";
import type { ChatKind } from "./connector.ts";

/** A connector that can never work as it is set up. It stops that connector, and nothing else. */
export class ConnectorError extends Error {
  override readonly name = "ConnectorError";
  readonly kind: ChatKind;
  readonly problem: string;
  readonly remedy: string;

  constructor(kind: ChatKind, problem: string, remedy: string) {
    super(`${problem}\n${remedy}`);
    this.kind = kind;
    this.problem = problem;
    this.remedy = remedy;
  }
}

/** What a service did not take. `mayPass`: sent again later, it may. */
export class UndeliveredError extends Error {
  override readonly name = "UndeliveredError";
  readonly problem: string;
  readonly remedy: string;
  readonly mayPass: boolean;

  constructor(problem: string, remedy: string, mayPass: boolean) {
    super(remedy === "" ? problem : `${problem}\n${remedy}`);
    this.problem = problem;
    this.remedy = remedy;
    this.mayPass = mayPass;
  }
}

/** What went wrong, in a line that may be printed. */
export function troubleIn(error: unknown): string {
  return oneLine(messageOf(error).split("\n", 1)[0] ?? "");
}
