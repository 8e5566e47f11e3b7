/** What a person asks of the chat itself. */
export type Command =
  | { name: "handoff"; focus?: string }
  | { name: "status" | "sessions" | "todos" | "help" | "exit" }
  | { name: "unknown"; typed: string };

/** Undefined for what is meant for the agent. A path at the start of a message is no command. */
export function commandIn(message: string): Command | undefined {
  const [, typed = "", rest = ""] = /^(\/[a-z][\w-]*)(?:\s+([\s\S]*))?$/i.exec(message) ?? [];
  switch (typed.toLowerCase()) {
    case "":
      return undefined;
    case "/handoff":
      return { name: "handoff", ...(rest.trim() && { focus: rest.trim() }) };
    case "/status":
      return { name: "status" };
    case "/sessions":
      return { name: "sessions" };
    case "/todos":
      return { name: "todos" };
    case "/help":
      return { name: "help" };
    case "/exit":
    case "/quit":
      return { name: "exit" };
    default:
      return { name: "unknown", typed };
  }
}

/** As they are typed. */
export const COMMANDS = ["/handoff", "/status", "/sessions", "/todos", "/help", "/exit"] as const;

export const HELP = `  /handoff [focus]   pass the work to a new session now; the focus says what its document should focus on
  /status            the window, the session and what it has cost
  /sessions          the sessions of this chat and their handoffs
  /todos             what the agent has to do, and what of it is done
  /help              this
  /exit              end the chat

  Enter              send; Alt-Enter, or \\ and Enter, for a new line
  Tab                complete a command, or a file after @
  Up, Down           what you sent before
  Escape             cancel a handoff, or say no to a call
  Ctrl-C             interrupt a turn; twice, or Ctrl-D, ends the chat`;
