import type { SDKAssistantMessageError } from "@anthropic-ai/claude-agent-sdk";

/** What became of a request to the model, in plain words. Without a status nothing answered. */
export function apiFailure(status: number | undefined, code?: SDKAssistantMessageError): string {
  if (status === undefined) return code === "overloaded" ? "The API is overloaded" : "The API did not answer";
  return `${words(status)} (${status})`;
}

function words(status: number): string {
  switch (status) {
    case 401:
    case 403:
      return "The API refused the credentials";
    case 408:
    case 504:
      return "The API did not answer in time";
    case 429:
      return "The API is limiting requests";
    case 529:
      return "The API is overloaded";
    default:
      return status >= 500 ? "The API failed" : "The API refused the request";
  }
}

const SAID = /^API Error: (\d{3})\b[ :]*(.*)$/s;

/** The program's own words for a failure at the end of a turn, without its code and the JSON around what the API said. */
export function plainFailure(message: string): string {
  const [, status, rest = ""] = SAID.exec(message) ?? [];
  if (status === undefined) return message;
  const said = (saidIn(rest) ?? rest).trim();
  return `${apiFailure(Number(status))}${said === "" ? "" : `: ${said}`}`;
}

function saidIn(text: string): string | undefined {
  if (!text.startsWith("{")) return undefined;
  try {
    const body: unknown = JSON.parse(text);
    const { error } = body as { error?: { message?: unknown } };
    return typeof error?.message === "string" ? error.message : undefined;
  } catch {
    return undefined;
  }
}
