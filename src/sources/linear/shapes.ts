import { z } from "zod";
import { SourceError } from "../source.ts";

/** What is read of Linear's answers, and nothing else. */

const ID = z.string().min(1).max(100);
const NAME = z.string().max(500);
const TIME = z.iso.datetime({ offset: true });
const PAGE = z.url({ protocol: /^https?$/ }).max(2_000);
const TEXT = z
  .string()
  .nullish()
  .transform((text) => text ?? "");

const nodes = <T extends z.ZodType>(shape: T) => z.object({ nodes: z.array(shape).max(500) });

export const Person = z.object({
  id: ID,
  name: NAME,
  displayName: NAME.nullish(),
  active: z.boolean().nullish(),
  guest: z.boolean().nullish(),
  isMe: z.boolean().nullish(),
});
export type Person = z.infer<typeof Person>;

const Bot = z.object({ id: ID.nullish(), name: NAME.nullish() }).nullish();

export const State = z.object({ id: ID, name: NAME, type: z.string().max(50), position: z.number() });
export type State = z.infer<typeof State>;

export const Team = z.object({
  viewer: Person,
  teams: nodes(z.object({ id: ID, key: NAME, states: nodes(State) })),
});

export const Labels = z.object({
  issueLabels: nodes(
    z.object({ id: ID, name: NAME, isGroup: z.boolean().nullish(), team: z.object({ id: ID }).nullish() }),
  ),
});

const issue = {
  id: ID,
  identifier: z.string().regex(/^[A-Z0-9]{1,20}-[1-9]\d{0,9}$/i),
  number: z.number().int().min(1),
  title: z.string().transform((title) => title.slice(0, 1_000)),
  description: TEXT,
  url: PAGE,
  priority: z.number(),
  createdAt: TIME,
  updatedAt: TIME,
  state: z.object({ id: ID, name: NAME, type: z.string().max(50) }),
  labels: nodes(z.object({ id: ID, name: NAME })),
  assignee: z.object({ id: ID, displayName: NAME, isMe: z.boolean().nullish() }).nullish(),
  creator: Person.nullish(),
  botActor: Bot,
  inverseRelations: nodes(
    z.object({
      type: z.string().max(50),
      issue: z.object({ identifier: NAME, state: z.object({ type: z.string().max(50) }) }),
    }),
  ),
};

export const Issue = z.object(issue);
export type Issue = z.infer<typeof Issue>;

const pageInfo = z.object({ hasNextPage: z.boolean(), endCursor: z.string().max(1_000).nullish() });

export const Issues = z.object({
  issues: z.object({ nodes: z.array(z.unknown()).max(500), pageInfo }),
});

export const Newest = z.object({ issues: nodes(z.object({ id: ID })) });

const comments = nodes(
  z.object({ id: ID, body: TEXT, createdAt: TIME, user: Person.nullish(), botActor: Bot }),
).extend({ pageInfo });

const history = nodes(
  z.object({
    createdAt: TIME,
    addedLabelIds: z.array(ID).nullish(),
    removedLabelIds: z.array(ID).nullish(),
    fromTitle: z.string().nullish(),
    updatedDescription: z.boolean().nullish(),
    actor: Person.nullish(),
    descriptionUpdatedBy: z.array(Person).nullish(),
  }),
).extend({ pageInfo });

export const ClaimedIssues = z.object({ issues: nodes(z.object({ comments })) });

const IssueWithHistory = z.object({ ...issue, comments, history });
type IssueWithHistory = z.infer<typeof IssueWithHistory>;

export const Details = z.object({ issues: nodes(IssueWithHistory) });

export type Said = IssueWithHistory["comments"]["nodes"][number];
export type Change = IssueWithHistory["history"]["nodes"][number];

export const Comments = z.object({ comments: nodes(z.object({ id: ID, body: TEXT })) });

export const LabelMade = z.object({ issueLabelCreate: z.object({ issueLabel: z.object({ id: ID }) }) });

/** Throws a SourceError for what is not the answer that was asked for. */
export function read<T extends z.ZodType>(shape: T, body: unknown): z.infer<T> {
  const parsed = shape.safeParse(body);
  if (parsed.success) return parsed.data;
  const where = parsed.error.issues[0]?.path.join(".") ?? "";
  throw new SourceError(
    "refused",
    `The server's answer is not what Linear describes (at ${where.slice(0, 200)}).`,
  );
}
