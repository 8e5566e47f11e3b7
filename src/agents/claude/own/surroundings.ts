/** Where a person works with an agent: in a terminal, an editor, or a browser. */
export type SessionKind = "cli" | "editor" | "browser";

/** A tmux pane, on the server behind this socket. */
export interface Pane {
  socket: string;
  id: string;
}

/** A session by itself, or one that gives work to others, or one that is given it. */
export type SessionRole = "single" | "orchestrator" | "worker";

type Environment = Readonly<Record<string, string | undefined>>;

/** What the environment of a hook tells about its session. */
export interface Surroundings {
  kind: SessionKind;
  pane: Pane | null;
  /** Somebody can answer it. A program that runs Claude Code for one prompt has no use for a handoff. */
  attended: boolean;
  /** As the person who started it wants it; undefined where they did not say. */
  role: SessionRole | undefined;
}

export function surroundings(env: Environment): Surroundings {
  const entrypoint = env.CLAUDE_CODE_ENTRYPOINT ?? "cli";
  const attended = !/^sdk-|action/.test(entrypoint);
  const [socket] = (env.TMUX ?? "").split(",");
  return {
    kind: kindOf(entrypoint),
    pane: attended && socket && env.TMUX_PANE ? { socket, id: env.TMUX_PANE } : null,
    attended,
    role: env.BATON_ROLE === "orchestrator" || env.BATON_ROLE === "worker" ? env.BATON_ROLE : undefined,
  };
}

/** By the names that Claude Code gives the places in which it runs. */
function kindOf(entrypoint: string): SessionKind {
  if (/vscode|jetbrains|desktop|local-agent|local_agent|ssh-remote/.test(entrypoint)) return "editor";
  return /remote|web|browser|slack/.test(entrypoint) ? "browser" : "cli";
}

/** Whether this environment is of something that a session started. */
export function isOfSession(env: Environment): boolean {
  return Boolean(env.CLAUDECODE) || sessionNamedIn(env) !== undefined;
}

/** The session that started this process, by its id. A program keeps the id of its first session there. */
export function sessionNamedIn(env: Environment): string | undefined {
  return env.CLAUDE_SESSION_ID ?? env.CLAUDE_CODE_SESSION_ID;
}
