/** What only the agent knows: why, what was tried, what is next. Trimmed strings throughout. */
export interface Account {
  goal: string;
  constraints: string[];
  progress: { done: string[]; inProgress: string[]; pending: string[] };
  currentState: string;
  decisions: Decision[];
  failedAttempts: string[];
  criticalContext: string[];
  openIssues: string[];
  nextSteps: string[];
  filesChanged: FileChange[];
  activeSubagents: string[];
  links: string[];
  /** Sections that a template of the user's asks for beyond these. */
  extra: { title: string; text: string }[];
}

interface Decision {
  decision: string;
  reason: string;
}

interface FileChange {
  path: string;
  change: string;
}

export type SectionKey = Exclude<keyof Account, "extra">;

/** The sections in their order, with the other names under which people and programs write them. */
export const SECTIONS: readonly {
  key: SectionKey;
  title: string;
  aliases: readonly string[];
  asks: string;
}[] = [
  {
    key: "goal",
    title: "Goal",
    aliases: ["Current task", "Task"],
    asks: "what the work is for, in the user's terms",
  },
  {
    key: "constraints",
    title: "Constraints and preferences",
    aliases: ["Constraints", "Constraints & preferences", "Preferences"],
    asks: "every constraint and preference of the user, word for word",
  },
  {
    key: "progress",
    title: "Progress",
    aliases: ["Progress summary"],
    asks: "what is done, in progress and pending",
  },
  {
    key: "currentState",
    title: "Current state",
    aliases: ["State"],
    asks: "exactly where the work stands now",
  },
  {
    key: "decisions",
    title: "Decisions",
    aliases: ["Key decisions", "Recent decisions"],
    asks: "each decision with its reason",
  },
  {
    key: "failedAttempts",
    title: "Failed attempts",
    aliases: ["What did not work"],
    asks: "what was tried and did not work, so that it is not tried again",
  },
  {
    key: "criticalContext",
    title: "Critical context",
    aliases: ["Important context", "Notes"],
    asks: "exact commands, error texts, names and numbers that the next session needs",
  },
  {
    key: "openIssues",
    title: "Open issues and blockers",
    aliases: ["Open issues", "Blockers", "Blocked items"],
    asks: "open questions and blockers",
  },
  { key: "nextSteps", title: "Next steps", aliases: ["Next actions"], asks: "what to do next, in order" },
  {
    key: "filesChanged",
    title: "Files changed",
    aliases: ["Files modified", "File changes"],
    asks: "every file that was changed, with what changed in it",
  },
  {
    key: "activeSubagents",
    title: "Active subagents",
    aliases: [],
    asks: "subagents that still run, with their ids",
  },
  { key: "links", title: "Links", aliases: [], asks: "plans, issues and documents that matter" },
];

export function emptyAccount(): Account {
  return {
    goal: "",
    constraints: [],
    progress: { done: [], inProgress: [], pending: [] },
    currentState: "",
    decisions: [],
    failedAttempts: [],
    criticalContext: [],
    openIssues: [],
    nextSteps: [],
    filesChanged: [],
    activeSubagents: [],
    links: [],
    extra: [],
  };
}

/** Everything that an account says, as one text: for checks that look for a word of it anywhere. */
export function textOf(account: Account): string {
  const { progress } = account;
  return [
    account.goal,
    ...account.constraints,
    ...progress.done,
    ...progress.inProgress,
    ...progress.pending,
    account.currentState,
    ...account.decisions.flatMap(({ decision, reason }) => [decision, reason]),
    ...account.failedAttempts,
    ...account.criticalContext,
    ...account.openIssues,
    ...account.nextSteps,
    ...account.filesChanged.flatMap(({ path, change }) => [path, change]),
    ...account.activeSubagents,
    ...account.links,
    ...account.extra.map(({ text }) => text),
  ].join("\n");
}
