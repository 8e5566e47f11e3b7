import { fortyTurns } from "./forty-turns.ts";

export default fortyTurns(0);
