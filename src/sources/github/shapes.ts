import { z } from "zod";
import { SourceError } from "../source.ts";

/** What is read of GitHub's answers, and nothing else. */

const NUMBER = z.number().int().min(1).max(Number.MAX_SAFE_INTEGER);
const LOGIN = z.string().min(1).max(100);
const TIME = z.iso.datetime({ offset: true });
const PAGE = z.url({ protocol: /^https?$/ }).max(2_000);
const TEXT = z
  .string()
  .nullish()
  .transform((text) => text ?? "");

/** Null for an account that is gone. */
const User = z.object({ login: LOGIN, type: z.string().max(50).nullish() }).nullish();

/** As an object, or as its name alone, which GitHub does not promise to be there. */
const Label = z.union([z.string(), z.object({ name: TEXT }).transform(({ name }) => name)]);

const Count = z.number().int().min(0);

export const Issue = z.object({
  number: NUMBER,
  node_id: z.string().max(200),
  title: z.string().transform((title) => title.slice(0, 1_000)),
  body: TEXT,
  html_url: PAGE,
  state: z.string(),
  labels: z
    .array(Label)
    .max(200)
    .transform((labels) => labels.filter((label) => label !== "")),
  assignees: z
    .array(z.object({ login: LOGIN }))
    .max(100)
    .nullish(),
  user: User,
  author_association: z.string().max(50).nullish(),
  created_at: TIME,
  updated_at: TIME,
  pull_request: z.unknown().optional(),
  repository_url: z.string().max(2_000).nullish(),
  issue_dependencies_summary: z.object({ blocked_by: Count }).nullish(),
});
export type Issue = z.infer<typeof Issue>;

export const Comment = z.object({
  id: NUMBER,
  body: TEXT,
  user: User,
  author_association: z.string().max(50).nullish(),
  created_at: TIME,
});
export type Comment = z.infer<typeof Comment>;

export const IssueEvent = z.object({
  event: z.string().max(100),
  created_at: TIME,
  actor: User,
  label: z.object({ name: z.string() }).nullish(),
});
export type IssueEvent = z.infer<typeof IssueEvent>;

export const Blocker = z.object({
  number: NUMBER,
  state: z.string(),
  repository_url: z.string().max(2_000).nullish(),
});

export const Permission = z.object({ permission: z.string().max(50) });

export const Account = z.object({ login: LOGIN });

export const Repository = z.object({
  full_name: z.string().regex(/^[\w.-]{1,100}\/[\w.-]{1,100}$/),
  private: z.boolean().nullish(),
  archived: z.boolean().nullish(),
  has_issues: z.boolean().nullish(),
  /** Of the account that asks. */
  permissions: z.object({ push: z.boolean().nullish(), triage: z.boolean().nullish() }).nullish(),
});

export const Pull = z.object({
  html_url: PAGE,
  head: z.object({ ref: z.string(), repo: z.object({ full_name: z.string() }).nullish() }),
});

/** Throws a SourceError for what is not the answer that was asked for. */
export function read<T extends z.ZodType>(shape: T, body: unknown, what: string): z.infer<T> {
  const parsed = shape.safeParse(body);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue?.path.join(".") ?? "";
  throw new SourceError(
    "refused",
    `The server's answer is not ${what} as GitHub describes it${where === "" ? "" : ` (at ${where.slice(0, 200)})`}.`,
  );
}

/** Those of a list that are what they should be: one that is not must not hide the others. */
export function readEach<T extends z.ZodType>(shape: T, body: unknown, what: string): z.infer<T>[] {
  if (!Array.isArray(body)) throw new SourceError("refused", `The server's answer is no list of ${what}.`);
  return body.flatMap((each: unknown) => {
    const parsed = shape.safeParse(each);
    return parsed.success ? [parsed.data] : [];
  });
}
