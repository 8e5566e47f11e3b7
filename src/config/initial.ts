/**
 * Where editors find the schema: relative, so that the line is right on every machine that has Baton, and whatever
 * folder Baton is installed in.
 */
export const SCHEMA_PATH = ".baton/baton.schema.json";

interface Answers {
  name: string;
  /** Where it is not the built-in one. */
  runtime?: string;
  model?: string;
  directory?: string;
  permissionMode?: string;
  allowedTools?: readonly string[];
  /** The command that runs the tests, where the agent may run it. */
  tests?: string;
  /** The container that it runs in. */
  container?: { engine: string; image?: string };
}

/** Why an agent runs on something else than what is built in. */
const WHY: Readonly<Record<string, string>> = {
  "claude-cli": "your own claude, which is signed in to your plan",
  codex: "your own codex: Claude Code is not signed in here",
};

const CLAUDE_MODES =
  "    # One of default (nothing), acceptEdits (edit files), bypassPermissions (everything: for a sandbox), plan, dontAsk, auto.";
const CODEX_MODES = `    # One of default (what Codex calls safe), acceptEdits (edit files and run commands, in Codex's own sandbox), dontAsk (the same, and
    # never more), plan (read), bypassPermissions (everything, without a sandbox).`;

function toolRules(allowedTools: readonly string[] | undefined): string {
  return `    # What it may call as well. Bash alone is every command.
    ${allowedTools ? `allowed_tools: [${allowedTools.map(plain).join(", ")}]` : '# allowed_tools: ["Bash(npm test:*)", WebFetch]'}
    # denied_tools: [WebFetch]
`;
}

/** A first baton.yaml. A line like `# key: value` becomes that key when its `# ` is taken away. */
export function initialConfig({
  name,
  runtime,
  model,
  directory,
  permissionMode,
  allowedTools,
  tests,
  container,
}: Answers): string {
  const isCodex = runtime === "codex";
  return `# yaml-language-server: $schema=${SCHEMA_PATH}
# Baton runs coding agents on work that is longer than one context window.
# Start a job here with:  baton run ${plain(name)} "what to do"

version: 1

agents:
  - name: ${plain(name)}
${runtime === undefined ? "" : `    runtime: ${plain(runtime)}   # ${WHY[runtime]}\n`}    working_directory: ${plain(directory ?? ".")}   # relative to this file; ~ is your home folder
    ${key("model", model, isCodex ? "gpt-5.5" : "claude-sonnet-4-5")}   # left out: what ${isCodex ? "Codex" : "Claude Code"} is set to

    # What the agent may do. Nobody is there to ask, so any other call is denied, and the job says what to write here to allow it.
${isCodex ? CODEX_MODES : CLAUDE_MODES}
    ${key("permission_mode", permissionMode, "acceptEdits")}
${isCodex ? "" : toolRules(allowedTools)}
    # A container for the agent and everything it runs: it sees the job's folder and reaches the model alone. No key is inside.
    ${container ? dockerLine(container) : "# docker: { enabled: true, engine: bwrap }   # or podman or docker, with an image"}

    # Said to the agent in every session, on top of its own instructions.
    ${tests === undefined ? "# system_prompt: Run the tests before you say that you are done." : `system_prompt: ${JSON.stringify(`Run the tests with \`${tests}\` before you say that you are done.`)}`}

    # Added to the environment of the agent and of everything it runs.
    # env: { CI: "1" }

    # Tools of your own, in the shapes that Claude Code knows.
    # mcp_servers:
    #   docs: { command: npx, args: [-y, some-mcp-server] }

    # git_worktree gives every job a folder and a branch of its own.
    # workspace:
    #   strategy: static
    #   branch_pattern: agent/{agent}/{workItem}
    #   push_on_success: true
    #   create_pr: false

    # When a session ends and the next one takes over.
    # session:
    #   context_threshold: 0.10    # hand over when this part of the window is left; or a token count: 150000;
    #                              # or economical: when a fresh session is cheaper, often at 100k to 120k tokens
    #   max_handoffs_per_job: 3    # then the job pauses; for a night without you: 20, with limits below
    #   on_limit: wait             # at a usage limit: wait for the reset, pause, or switch to an agent of fallback: [other]
    #   background_grace: 2m       # how long work in the background may take to finish before a handoff
    #   stall_timeout: 15m         # start the agent again when it shows no sign of life for this long
    #   max_retries: 5             # when the API fails or the agent dies; then the job pauses
    #   retry_backoff: 5s          # before the first retry; it doubles

    # The document that passes from one session to the next.
    # handoff:
    #   enabled: true              # false leaves a full window to Claude Code's own compaction
    #   dir: .baton/handoffs
    #   notify_user_at: [50, 60]   # warn when this many per cent of the window are in use
    #   timeout: 5m                # how long the agent may take to write it
    #   budget: 6                  # per cent of the next window that it may take
    #   auto_continue_cli: true    # false pauses the job once it is written
    #   retention_days: 90         # how long archived ones are kept

    # What is run at the points of a job. Hooks get what happened as JSON.
    # hooks:
    #   after_run: [{ type: shell, command: ./notify.sh, on_events: [completed, failed] }]

    # How you are told of what happens.
    # notify:
    #   events: [pause, failure, completion]
    #   desktop: false
    #   bell: false

    # A job that reaches one of these pauses, and nothing is lost.
    # limits:
    #   cost_usd: 20
    #   duration: 8h
    #   turns: 500
`;
}

function dockerLine({ engine, image }: { engine: string; image?: string }): string {
  const rest = image === undefined ? "" : `, image: ${plain(image)}`;
  return `docker: { enabled: true, engine: ${engine}${rest} }`;
}

/** The answer, or an example that is commented out. */
function key(name: string, answer: string | undefined, example: string): string {
  return answer === undefined ? `# ${name}: ${example}` : `${name}: ${plain(answer)}`;
}

/** Text as YAML, in quotes where it could be read as something else. */
function plain(text: string): string {
  const readsAsText =
    /^(?:[A-Za-z]|\.{0,2}\/)[\w./-]*$|^\.{1,2}$/.test(text) && !/^(?:true|false|null)$/i.test(text);
  return readsAsText ? text : JSON.stringify(text);
}
