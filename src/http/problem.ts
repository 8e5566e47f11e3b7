import { messageOf } from "../util/errors.ts";

/** Why a request is not answered as it was asked, for programs and for people. */
export class Problem extends Error {
  override readonly name = "Problem";
  readonly status: number;
  readonly code: string;
  readonly errors: { path: string; message: string }[] | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    code: string,
    detail: string,
    {
      errors,
      headers = {},
    }: { errors?: { path: string; message: string }[]; headers?: Record<string, string> } = {},
  ) {
    super(detail);
    this.status = status;
    this.code = code;
    this.errors = errors;
    this.headers = headers;
  }
}

/** By name, because to import them would be to know the rooms below `app/`. */
const REFUSALS: Readonly<Record<string, [status: number, code: string]>> = {
  JobNotFoundError: [404, "not-found"],
  NotFoundError: [404, "not-found"],
  AmbiguousJobError: [409, "ambiguous"],
  JobOwnedError: [409, "in-use"],
  UsageError: [409, "refused"],
  UnknownAgentError: [422, "unknown-agent"],
  ConfigError: [409, "configuration"],
  UntrustedError: [409, "not-trusted"],
  TrustRecordError: [409, "not-trusted"],
  StoreError: [503, "store"],
};

const TITLES: Readonly<Record<number, string>> = {
  400: "Bad request",
  401: "No valid token",
  403: "Not allowed",
  404: "Not found",
  405: "Method not allowed",
  409: "Refused as things stand",
  413: "Too large",
  415: "Not JSON",
  421: "Not for this server",
  422: "Not understood",
  429: "Too many requests",
  500: "Something went wrong",
  503: "Not now",
};

/** What went wrong, as it is told. What nobody foresaw says nothing of the inside. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const [status, code] = (error instanceof Error && REFUSALS[error.name]) || [500, "internal"];
  const isForeseen = status !== 500;
  return new Problem(
    status,
    code,
    isForeseen ? messageOf(error) : "The log of the fleet says what went wrong.",
  );
}

export function problemResponse(problem: Problem): Response {
  const { status, code, message: detail, errors, headers } = problem;
  const body = {
    type: `urn:baton:${code}`,
    title: TITLES[status] ?? "Refused",
    status,
    detail,
    ...(errors && { errors }),
  };
  return new Response(`${JSON.stringify(body)}\n`, {
    status,
    headers: { "content-type": "application/problem+json", ...headers },
  });
}
