import { describe, expect, it } from "vitest";
import { passesSchema, type Refusal, refusal } from "../../test/refused.ts";

/** Each file is wrong in a way that people's files are, and `says` is all that they read then. */
const REFUSALS: Refusal[] = [
  {
    wrong: "a strategy that there is not",
    file: `
agents:
  - name: coder
    workspace: { strategy: worktree }
`,
    says: `
baton.yaml:3:28  agents[0].workspace.strategy must be static or git_worktree, found the text "worktree"
   3 |     workspace: { strategy: worktree }
     |                            ^^^^^^^^
  for example: strategy: static
`,
  },
  {
    wrong: "a placeholder that stands for nothing",
    file: `
agents:
  - name: coder
    workspace: { branch_pattern: "agent/{agnet}/{workItem}" }
`,
    says: `
baton.yaml:3:34  agents[0].workspace.branch_pattern holds {agnet}, which stands for nothing
   3 |     workspace: { branch_pattern: "agent/{agnet}/{workItem}" }
     |                                  ^^^^^^^^^^^^^^^^^^^^^^^^^^
  did you mean {agent}?
`,
  },
  {
    wrong: "a placeholder that nothing resembles",
    file: `
agents:
  - name: coder
    workspace: { commit_message: "{colour}" }
`,
    says: `
baton.yaml:3:34  agents[0].workspace.commit_message holds {colour}, which stands for nothing
   3 |     workspace: { commit_message: "{colour}" }
     |                                  ^^^^^^^^^^
  these are known: {summary}, {agent}, {jobId}, {workItem}
`,
  },
  {
    wrong: "more ports than there are to give",
    file: `
agents:
  - name: coder
    workspace: { ports: 100 }
`,
    says: `
baton.yaml:3:25  agents[0].workspace.ports must be a whole number up to 20, found 100
   3 |     workspace: { ports: 100 }
     |                         ^^^
  for example: ports: 2
`,
  },
  {
    wrong: "half a port",
    file: `
agents:
  - name: coder
    workspace: { ports: 1.5 }
`,
    says: `
baton.yaml:3:25  agents[0].workspace.ports must be a whole number up to 20, found 1.5
   3 |     workspace: { ports: 1.5 }
     |                         ^^^
  for example: ports: 2
`,
  },
  {
    wrong: "less than no ports",
    file: `
agents:
  - name: coder
    workspace: { ports: -1 }
`,
    says: `
baton.yaml:3:25  agents[0].workspace.ports must be a whole number up to 20, found -1
   3 |     workspace: { ports: -1 }
     |                         ^^
  for example: ports: 2
`,
  },
  {
    wrong: "a prefix that no variable can begin with",
    file: `
agents:
  - name: coder
    workspace: { env_prefix: 2ND }
`,
    says: `
baton.yaml:3:30  agents[0].workspace.env_prefix must be letters, digits and _, beginning with a letter, found the text "2ND"
   3 |     workspace: { env_prefix: 2ND }
     |                              ^^^
  for example: env_prefix: OURS
`,
  },
  {
    wrong: "a setup command as a list",
    file: `
agents:
  - name: coder
    workspace: { setup_command: [npm, ci] }
`,
    says: `
baton.yaml:3:18  agents[0].workspace.setup_command must be text, found a list
   3 |     workspace: { setup_command: [npm, ci] }
     |                  ^^^^^^^^^^^^^
  for example: setup_command: npm ci
`,
  },
  {
    wrong: "a setup that may take no time",
    unseen: "times are text to it",
    file: `
agents:
  - name: coder
    workspace: { setup_timeout: 0s }
`,
    says: `
baton.yaml:3:33  agents[0].workspace.setup_timeout must be longer than nothing, found the text "0s"
   3 |     workspace: { setup_timeout: 0s }
     |                                 ^^
  for example: setup_timeout: 10m
`,
  },
  {
    wrong: "a conflict that is left open",
    file: `
agents:
  - name: coder
    workspace: { on_branch_conflict: ask }
`,
    says: `
baton.yaml:3:38  agents[0].workspace.on_branch_conflict must be skip, queue or suffix, found the text "ask"
   3 |     workspace: { on_branch_conflict: ask }
     |                                      ^^^
  for example: on_branch_conflict: skip
`,
  },
  {
    wrong: "a push that is tried",
    file: `
agents:
  - name: coder
    workspace: { on_push_failure: retries }
`,
    says: `
baton.yaml:3:35  agents[0].workspace.on_push_failure must be fail, warn or retry, found the text "retries"
   3 |     workspace: { on_push_failure: retries }
     |                                   ^^^^^^^
  for example: on_push_failure: fail
`,
  },
  {
    wrong: "a key of the workspace outside of it",
    file: `
agents:
  - name: coder
    create_pr: true
`,
    says: `
baton.yaml:3:5  unknown key "create_pr" in agents[0]
   3 |     create_pr: …
     |     ^^^^^^^^^
  "create_pr" belongs in "workspace"
`,
  },
  {
    wrong: "a folder without its root",
    file: `
agents:
  - name: coder
    working_directory: { default_branch: main }
`,
    says: `
baton.yaml:3:5  agents[0].working_directory has no root
   3 |     working_directory: { default_branch: main }
     |     ^^^^^^^^^^^^^^^^^
  for example: working_directory: { root: ./project }
`,
  },
  {
    wrong: "a clone of no commits",
    file: `
agents:
  - name: coder
    working_directory: { root: ., clone_depth: 0 }
`,
    says: `
baton.yaml:3:48  agents[0].working_directory.clone_depth must be a whole number of 1 or more, found 0
   3 |     working_directory: { root: ., clone_depth: 0 }
     |                                                ^
  for example: clone_depth: 1
`,
  },
  {
    wrong: "a session mode that there is not",
    file: `
agents:
  - name: coder
    session: { mode: resume }
`,
    says: `
baton.yaml:3:22  agents[0].session.mode must be fresh or persistent, found the text "resume"
   3 |     session: { mode: resume }
     |                      ^^^^^^
  for example: mode: fresh
`,
  },
  {
    wrong: "a session that is over at once",
    file: `
agents:
  - name: coder
    session: { timeout: 0 }
`,
    says: `
baton.yaml:3:25  agents[0].session.timeout must be longer than nothing, found 0
   3 |     session: { timeout: 0 }
     |                         ^
  for example: timeout: 24h
`,
  },
  {
    wrong: "maintenance of an agent",
    file: `
agents:
  - name: coder
    maintenance: {}
`,
    says: `
baton.yaml:3:5  unknown key "maintenance" in agents[0]
   3 |     maintenance: …
     |     ^^^^^^^^^^^
  "maintenance" belongs at the top of baton.yaml
`,
  },
  {
    wrong: "maintenance that never rests",
    unseen: "times are text to it",
    file: `
maintenance: { worktree_cleanup: { interval: 1s } }
agents:
  - name: coder
`,
    says: `
baton.yaml:1:46  maintenance.worktree_cleanup.interval must be 1m at least, found the text "1s"
   1 | maintenance: { worktree_cleanup: { interval: 1s } }
     |                                              ^^
  for example: interval: 6h
`,
  },
  {
    wrong: "maintenance that waits for too long",
    unseen: "times are text to it",
    file: `
maintenance: { session_cleanup: { interval: 30d } }
agents:
  - name: coder
`,
    says: `
baton.yaml:1:45  maintenance.session_cleanup.interval must be 24d at most, found the text "30d"
   1 | maintenance: { session_cleanup: { interval: 30d } }
     |                                             ^^^
  for example: interval: 1h
`,
  },
  {
    wrong: "a worktree's age without its unit",
    file: `
maintenance: { worktree_cleanup: { max_worktree_age: "7" } }
agents:
  - name: coder
`,
    says: `
baton.yaml:1:54  maintenance.worktree_cleanup.max_worktree_age must be a time such as 500ms, 30s, 5m, 6h or 7d, found the text "7"
   1 | maintenance: { worktree_cleanup: { max_worktree_age: "7" } }
     |                                                      ^^^
  for example: max_worktree_age: 7d
`,
  },
  {
    wrong: "a cleanup that there is not",
    file: `
maintenance: { branch_cleanup: { enabled: true } }
agents:
  - name: coder
`,
    says: `
baton.yaml:1:16  unknown key "branch_cleanup" in maintenance
   1 | maintenance: { branch_cleanup: …
     |                ^^^^^^^^^^^^^^
  the keys here are: worktree_cleanup, session_cleanup, job_cleanup
`,
  },
  {
    wrong: "a cleanup switched on by its name",
    file: `
maintenance: { worktree_cleanup: true }
agents:
  - name: coder
`,
    says: `
baton.yaml:1:16  maintenance.worktree_cleanup must be a map, found true or false
   1 | maintenance: { worktree_cleanup: true }
     |                ^^^^^^^^^^^^^^^^
  for example: worktree_cleanup: { interval: 6h }
`,
  },
  {
    wrong: "a variable that is not set",
    unseen: "it does not know the environment",
    file: `
agents:
  - name: coder
    model: \${OUR_MODEL}
`,
    says: `
baton.yaml:3:12  agents[0].model needs the environment variable OUR_MODEL, which is not set
   3 |     model: \${OUR_MODEL}
     |            ^^^^^^^^^^^^
  set OUR_MODEL, or give a default: \${OUR_MODEL:-…}
`,
  },
  {
    wrong: "a variable that is not set, among others",
    unseen: "it does not know the environment",
    file: `
agents:
  - name: coder
    env: { ONE: "\${EMPTY}", TWO: "\${MISSING_TOKEN}" }
`,
    says: `
baton.yaml:3:34  agents[0].env.TWO needs the environment variable MISSING_TOKEN, which is not set
   3 |     env: …
     |     ^^^
  set MISSING_TOKEN, or give a default: \${MISSING_TOKEN:-…}
`,
  },
  {
    wrong: "a variable that is empty",
    unseen: "it does not know the environment",
    file: `
agents:
  - name: coder
    model: \${EMPTY}
`,
    says: `
baton.yaml:3:12  agents[0].model must be text, found an empty text from \${EMPTY}
   3 |     model: \${EMPTY}
     |            ^^^^^^^^
  for example: model: claude-sonnet-4-5
`,
  },
  {
    wrong: "a variable that is not what belongs there",
    unseen: "it does not know the environment",
    file: `
agents:
  - name: coder
    session: { on_limit: "\${WRONG}", max_retries: "\${WRONG}" }
`,
    says: `
baton.yaml:3:26  agents[0].session.on_limit must be wait, pause or switch, found the text "\${WRONG}"
   3 |     session: { on_limit: "\${WRONG}", max_retries: "\${WRONG}" }
     |                          ^^^^^^^^^^
  for example: on_limit: wait

baton.yaml:3:51  agents[0].session.max_retries must be a whole number of 0 or more, found the text "\${WRONG}"
   3 |     session: { on_limit: "\${WRONG}", max_retries: "\${WRONG}" }
     |                                                   ^^^^^^^^^^
  for example: max_retries: 5
`,
  },
  {
    wrong: "a variable as the shell writes it",
    file: `
agents:
  - name: coder
    model: \${OUR_MODEL:?not set}
`,
    says: `
baton.yaml:3:12  agents[0].model has \${OUR_MODEL:?not set}, which is not the name of a variable
   3 |     model: \${OUR_MODEL:?not set}
     |            ^^^^^^^^^^^^^^^^^^^^^
  write \${NAME} or \${NAME:-default}, or $\${ for the characters \${
`,
  },
  {
    wrong: "a variable that is never closed",
    file: `
agents:
  - name: coder
    system_prompt: Use \${THIS to write.
`,
    says: `
baton.yaml:3:20  agents[0].system_prompt has a \${ that is never closed
   3 |     system_prompt: Use \${THIS to write.
     |                    ^^^^^^^^^^^^^^^^^^^^
  close it with }, or write $\${ for the characters \${
`,
  },
  {
    wrong: "a variable in brackets, without quotes",
    file: `
agents:
  - name: coder
    env: { TOKEN: \${OUR_TOKEN} }
`,
    says: `
baton.yaml:3:19  a variable in brackets needs quotes
   3 |     env: …
     |     ^^^
  write "\${NAME}", with the quotes
`,
  },
  {
    wrong: "a variable in a list, without quotes",
    file: `
agents:
  - name: coder
    allowed_tools: [\${OUR_TOOL}]
`,
    says: `
baton.yaml:3:21  a variable in brackets needs quotes
   3 |     allowed_tools: [\${OUR_TOOL}]
     |                     ^^^^^^^^^^^
  write "\${NAME}", with the quotes
`,
  },
];

describe("a wrong baton.yaml", () => {
  it.each(REFUSALS)("is refused for $wrong", ({ file, says }) => {
    expect(`\n${refusal(file.slice(1))}\n`).toBe(says);
  });

  it.each(REFUSALS)("is refused by the schema too for $wrong", ({ file, unseen }) => {
    expect(passesSchema(file.slice(1))).toBe(unseen !== undefined);
  });
});
