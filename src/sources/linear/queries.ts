/**
 * What is asked of Linear, with the fields that are needed and no others: a field more costs more, and may go. Linear refuses a query
 * by what it might come to: the sizes of lists within lists are multiplied.
 */

const PERSON = "id name displayName active guest isMe";
const PAGE_INFO = "pageInfo { hasNextPage endCursor }";

/** `relations`: of each issue so many. Whatever an issue has is read before it is taken. */
const fields = (relations: number) => `
  id identifier number title description url priority createdAt updatedAt
  state { id name type }
  labels(first: 50) { nodes { id name } }
  assignee { id displayName isMe }
  creator { ${PERSON} }
  botActor { id name }
  inverseRelations(first: ${relations}) { nodes { type issue { identifier state { type } } } }
`;

export const TEAM = `query Team($key: String!) {
  viewer { ${PERSON} }
  teams(first: 1, filter: { key: { eqIgnoreCase: $key } }) {
    nodes { id key states(first: 100) { nodes { id name type position } } }
  }
}`;

export const LABELS = `query Labels($names: [IssueLabelFilter!]!) {
  issueLabels(first: 100, filter: { or: $names }) { nodes { id name isGroup team { id } } }
}`;

/** Whether anything in the team is newer than what was read. */
export const NEWEST = `query Newest($team: ID!, $since: DateTimeOrDuration!) {
  issues(first: 1, includeArchived: true, filter: { team: { id: { eq: $team } }, updatedAt: { gt: $since } }) {
    nodes { id }
  }
}`;

export const ISSUES = `query Issues($team: ID!, $labels: [ID!]!, $after: String) {
  issues(first: 25, after: $after, filter: { team: { id: { eq: $team } }, labels: { some: { id: { in: $labels } } } }) {
    nodes { ${fields(20)} }
    ${PAGE_INFO}
  }
}`;

const COMMENTS = `nodes { id body createdAt user { ${PERSON} } botActor { id name } } ${PAGE_INFO}`;
const CHANGES = `nodes {
  createdAt addedLabelIds removedLabelIds fromTitle updatedDescription
  actor { ${PERSON} } descriptionUpdatedBy { ${PERSON} }
} ${PAGE_INFO}`;

/** A page of its comments and one of its history. */
export const ISSUE = `query Issue($team: ID!, $number: Float!, $comments: String, $history: String) {
  issues(first: 1, filter: { team: { id: { eq: $team } }, number: { eq: $number } }) {
    nodes {
      ${fields(100)}
      comments(first: 100, after: $comments) { ${COMMENTS} }
      history(first: 100, after: $history) { ${CHANGES} }
    }
  }
}`;

export const UPDATE = `mutation Update($id: String!, $input: IssueUpdateInput!) {
  issueUpdate(id: $id, input: $input) { success }
}`;

export const CREATE_LABEL = `mutation CreateLabel($input: IssueLabelCreateInput!) {
  issueLabelCreate(input: $input) { success issueLabel { id } }
}`;

export const CREATE_COMMENT = `mutation Comment($input: CommentCreateInput!) {
  commentCreate(input: $input) { success }
}`;

export const EDIT_COMMENT = `mutation Edit($id: String!, $input: CommentUpdateInput!) {
  commentUpdate(id: $id, input: $input) { success }
}`;

export const COMMENT = `query Comment($id: ID!) {
  comments(first: 1, filter: { id: { eq: $id } }) { nodes { id body } }
}`;

export const DELETE_COMMENT = `mutation Delete($id: String!) {
  commentDelete(id: $id) { success }
}`;

/** The claims on one issue, a page of them. */
export const CLAIMS = `query Claims($team: ID!, $number: Float!, $mark: String!, $after: String) {
  issues(first: 1, filter: { team: { id: { eq: $team } }, number: { eq: $number } }) {
    nodes { comments(first: 100, after: $after, filter: { body: { contains: $mark } }) { ${COMMENTS} } }
  }
}`;

/** Of the same address it is brought up to date. */
export const ATTACH = `mutation Attach($input: AttachmentCreateInput!) {
  attachmentCreate(input: $input) { success }
}`;
