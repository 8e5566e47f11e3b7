import { textField } from "../../call-input.ts";
import { plainFailure } from "../../claude/api-failure.ts";
import type { Outcome } from "../../events.ts";
import type { Fields, RefusedError } from "../rpc.ts";
import { fieldsIn } from "./tools.ts";
import type { TurnSigns } from "./updates.ts";

/** Why Baton cancelled the turn, where it did. */
export type Cancelled = "boundary" | "interrupt" | undefined;

/** How a turn ended that the program says is over. */
export function outcomeOf({ stopReason }: Fields, signs: TurnSigns, cancelled: Cancelled): Outcome {
  if (cancelled === "boundary") return { kind: "stopped" };
  if (cancelled === "interrupt") return { kind: "interrupted" };
  switch (stopReason) {
    case "cancelled":
      return { kind: "interrupted" };
    case "max_turn_requests":
      return { kind: "max-turns", message: "The agent has answered as often as it may in one turn." };
    case "max_tokens":
      return failed("max_tokens", "The model's answer was longer than it may be, and was cut off.", true);
    case "refusal":
      return failed("refusal", signs.words || "The model refused to answer.", false);
    default:
      // Some end a turn that died of a dead API like any other, and say so in words.
      if (signs.hasFailed) return failureIn(signs.words);
      return { kind: "completed", text: signs.text };
  }
}

/** Of a session that the program knew when it was opened. */
const NOT_FOUND = -32_002;
const GONE = /session has ended|process (?:has )?(?:exited|ended|died|terminated)|start a new session/i;

/** The program has lost the agent that it drives: it answers nothing any more. */
export function isDead({ code, message, data }: RefusedError): boolean {
  const kind = textField(data, "errorKind");
  return code === NOT_FOUND || kind === "transport_lost" || kind === "worker_shutdown" || GONE.test(message);
}

const AUTHENTICATION_REQUIRED = -32_000;
const INVALID = new Set([-32_600, -32_601, -32_602, -32_700]);

/** How a turn ended that the program refused, or could not bring to its end. */
export function outcomeOfError(error: RefusedError, signs: TurnSigns, cancelled: Cancelled): Outcome {
  if (cancelled === "boundary") return { kind: "stopped" };
  if (cancelled === "interrupt") return { kind: "interrupted" };
  const data = fieldsIn(error.data);
  if (MAX_TURNS.test(error.message))
    return { kind: "max-turns", message: error.message.replace(/^Internal error: /, "") };
  const said = error.message.replace(/^Internal error(?:: |$)/, "");
  const message = plainFailure(said || textField(data, "details") || signs.words || error.message);
  if (error.code === AUTHENTICATION_REQUIRED) return { kind: "no-access", message: signs.words || message };
  switch (textField(data, "errorKind")) {
    case "rate_limit":
      return { kind: "limited", message };
    case "authentication_failed":
    case "oauth_org_not_allowed":
    case "account_on_hold":
    case "verification_required":
    case "billing_error":
    case "cloud_credential_error":
      return { kind: "no-access", message };
    case "overloaded":
    case "server_error":
      return failed("server_error", message, true);
    default:
  }
  if (data.codexErrorInfo === "usageLimitExceeded") return { kind: "limited", message };
  if (data.codexErrorInfo === "contextWindowExceeded") return { kind: "out-of-context", message };
  const found = failureIn(message);
  return found.kind === "failed" && INVALID.has(error.code) ? { ...found, retryable: false } : found;
}

const OUT_OF_CONTEXT =
  /prompt is too long|too long for|context[_ ](?:length|window)|maximum context|payload too large|request (?:body )?(?:is )?too large|exceeds? the (?:model'?s )?(?:maximum|context)|input token count/i;
const LIMITED = /\b429\b|rate.?limit|usage limit|too many requests|quota|RESOURCE_EXHAUSTED/i;
const NO_ACCESS =
  /\b401\b|\b403\b|unauthori[sz]ed|authenticat|invalid (?:x-)?api.key|api key not valid|not logged in|sign in|credit balance/i;
const LOST = /^(?:stream disconnected|network error|connection (?:closed|error|reset)|socket|fetch failed)/i;
const FOR_GOOD = /model.{0,40}(?:not found|does not exist|not supported)|\b400\b|invalid[_ ]request/i;

const MAX_TURNS = /maximum number of turns/i;

/** Most programs tell in words alone what became of a request to the model. */
function failureIn(text: string): Exclude<Outcome, { kind: "completed" | "stopped" | "interrupted" }> {
  const message = text.trim() || "The agent's program ended the turn without saying why.";
  if (OUT_OF_CONTEXT.test(message)) return { kind: "out-of-context", message };
  if (LIMITED.test(message)) return { kind: "limited", message };
  if (NO_ACCESS.test(message)) return { kind: "no-access", message };
  if (LOST.test(message))
    return failed("connection_lost", `Connection to the API was lost: ${message}`, true);
  return failed("api_error", message, !FOR_GOOD.test(message));
}

function failed(code: string, message: string, retryable: boolean): Extract<Outcome, { kind: "failed" }> {
  return { kind: "failed", code, message, retryable };
}
