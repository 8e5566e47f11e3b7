/** The part of Linear's published schema that Baton asks for, by its names and types. */
export const SCHEMA = `
scalar DateTime
scalar DateTimeOrDuration

type Query {
  viewer: User!
  teams(filter: TeamFilter, first: Int): TeamConnection!
  issue(id: String!): Issue!
  issues(filter: IssueFilter, first: Int, after: String, includeArchived: Boolean): IssueConnection!
  issueLabels(filter: IssueLabelFilter, first: Int): IssueLabelConnection!
  comments(filter: CommentFilter, first: Int): CommentConnection!
}

type Mutation {
  issueUpdate(id: String!, input: IssueUpdateInput!): IssuePayload!
  issueLabelCreate(input: IssueLabelCreateInput!): IssueLabelPayload!
  commentCreate(input: CommentCreateInput!): CommentPayload!
  commentUpdate(id: String!, input: CommentUpdateInput!): CommentPayload!
  commentDelete(id: String!): DeletePayload!
  attachmentCreate(input: AttachmentCreateInput!): AttachmentPayload!
}

input IDComparator { eq: ID, in: [ID!] }
input StringComparator { eq: String, eqIgnoreCase: String, in: [String!], contains: String }
input NumberComparator { eq: Float, gt: Float }
input DateComparator { gt: DateTimeOrDuration, gte: DateTimeOrDuration }
input TeamFilter { id: IDComparator, key: StringComparator }
input IssueLabelFilter { id: IDComparator, name: StringComparator, or: [IssueLabelFilter!] }
input IssueLabelCollectionFilter { some: IssueLabelFilter }
input WorkflowStateFilter { type: StringComparator }
input IssueFilter {
  number: NumberComparator, team: TeamFilter, labels: IssueLabelCollectionFilter
  state: WorkflowStateFilter, updatedAt: DateComparator
}
input CommentFilter { id: IDComparator, body: StringComparator }

input IssueUpdateInput { stateId: String, addedLabelIds: [String!], removedLabelIds: [String!], assigneeId: String }
input IssueLabelCreateInput { name: String!, teamId: String }
input CommentCreateInput { id: String, issueId: String, body: String }
input CommentUpdateInput { body: String }
input AttachmentCreateInput { id: String, issueId: String!, title: String!, subtitle: String, url: String! }

type PageInfo { hasNextPage: Boolean!, hasPreviousPage: Boolean!, startCursor: String, endCursor: String }
type User { id: ID!, name: String!, displayName: String!, active: Boolean!, guest: Boolean!, isMe: Boolean! }
type ActorBot { id: ID, type: String!, name: String }
type Team { id: ID!, key: String!, name: String!, states(first: Int): WorkflowStateConnection! }
type WorkflowState { id: ID!, name: String!, type: String!, position: Float! }
type IssueLabel { id: ID!, name: String!, isGroup: Boolean!, team: Team }
type Issue {
  id: ID!, identifier: String!, number: Float!, title: String!, description: String, url: String!
  priority: Float!, createdAt: DateTime!, updatedAt: DateTime!, branchName: String!
  state: WorkflowState!, team: Team!, assignee: User, creator: User, botActor: ActorBot
  labels(first: Int): IssueLabelConnection!
  comments(first: Int, after: String, filter: CommentFilter): CommentConnection!
  history(first: Int, after: String): IssueHistoryConnection!
  inverseRelations(first: Int): IssueRelationConnection!
  attachments(first: Int): AttachmentConnection!
}
type IssueRelation { id: ID!, type: String!, issue: Issue! }
type IssueHistory {
  id: ID!, createdAt: DateTime!, addedLabelIds: [String!], removedLabelIds: [String!], actor: User
  fromTitle: String, updatedDescription: Boolean, descriptionUpdatedBy: [User!]
}
type Comment { id: ID!, body: String!, createdAt: DateTime!, user: User, botActor: ActorBot, issue: Issue }
type Attachment { id: ID!, title: String!, subtitle: String, url: String! }

type TeamConnection { nodes: [Team!]!, pageInfo: PageInfo! }
type WorkflowStateConnection { nodes: [WorkflowState!]!, pageInfo: PageInfo! }
type IssueConnection { nodes: [Issue!]!, pageInfo: PageInfo! }
type IssueLabelConnection { nodes: [IssueLabel!]!, pageInfo: PageInfo! }
type IssueRelationConnection { nodes: [IssueRelation!]!, pageInfo: PageInfo! }
type IssueHistoryConnection { nodes: [IssueHistory!]!, pageInfo: PageInfo! }
type CommentConnection { nodes: [Comment!]!, pageInfo: PageInfo! }
type AttachmentConnection { nodes: [Attachment!]!, pageInfo: PageInfo! }

type IssuePayload { success: Boolean!, lastSyncId: Float!, issue: Issue }
type IssueLabelPayload { success: Boolean!, lastSyncId: Float!, issueLabel: IssueLabel! }
type CommentPayload { success: Boolean!, lastSyncId: Float!, comment: Comment! }
type DeletePayload { success: Boolean!, lastSyncId: Float!, entityId: String! }
type AttachmentPayload { success: Boolean!, lastSyncId: Float!, attachment: Attachment! }
`;
