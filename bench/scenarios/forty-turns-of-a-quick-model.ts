import { fortyTurns, QUICK_MODEL_MS } from "./forty-turns.ts";

export default fortyTurns(QUICK_MODEL_MS);
