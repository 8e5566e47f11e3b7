import { type Column, table } from "../../display/table.ts";
import { costInWords } from "../../display/words.ts";
import type { AnswerOf } from "../contract.ts";
import type { OperationName } from "../operations.ts";

/** What is told for people with `curl`, who ask without saying that it is to be JSON. */
export type Texts = { [K in OperationName]?: (answer: AnswerOf<K>, now: Date) => string };

/** Nobody knows how wide their terminal is. */
export const WIDTH = 120;

export function listed<Row>(rows: readonly Row[], columns: readonly Column<Row>[], none: string): string {
  return rows.length === 0 ? none : table(rows, columns, WIDTH).join("\n");
}

/** As every screen of Baton says it: what nobody pays is marked. */
export function costText({
  costUsd,
  costEstimated = false,
  simulatedCostUsd = 0,
}: {
  costUsd: number | null;
  costEstimated?: boolean | undefined;
  simulatedCostUsd?: number | undefined;
}): string {
  return costInWords({
    costUsd: (costUsd ?? 0) + simulatedCostUsd,
    costBasis: costUsd === null ? "unknown" : costEstimated ? "estimated" : "told",
    simulatedUsd: simulatedCostUsd,
  });
}
