import { describe, expect, it } from "vitest";
import { passesSchema, type Refusal, refusal } from "../../test/refused.ts";

/** Each file is wrong in a way that people's files are, and `says` is all that they read then. */
const REFUSALS: Refusal[] = [
  {
    wrong: "an empty file",
    file: `
`,
    says: `
baton.yaml  the file is empty
  name an agent, for example: agents: [{ name: coder }]; or let baton init write the file
`,
  },
  {
    wrong: "only comments",
    file: `
# nothing yet
`,
    says: `
baton.yaml  the file is empty
  name an agent, for example: agents: [{ name: coder }]; or let baton init write the file
`,
  },
  {
    wrong: "no agents",
    file: `
version: 1
`,
    says: `
baton.yaml  the file names no agents
  add agents: [{ name: coder }]
`,
  },
  {
    wrong: "an empty list of agents",
    file: `
agents: []
`,
    says: `
baton.yaml:1:9  agents must have at least one agent
   1 | agents: []
     |         ^^
  for example: agents: [{ name: coder }]
`,
  },
  {
    wrong: "agents left blank",
    file: `
agents:
`,
    says: `
baton.yaml:1:1  agents has no value; it must be a list
   1 | agents:
     | ^^^^^^
  for example: agents: [{ name: coder }]
`,
  },
  {
    wrong: "text in place of keys",
    file: `
just text
`,
    says: `
baton.yaml:1:1  the file must be a map, found text
   1 | just text
     | ^^^^^^^^^
  for example: agents: [{ name: coder }]
`,
  },
  {
    wrong: "a list in place of the file's keys",
    file: `
- name: coder
`,
    says: `
baton.yaml:1:1  the file must be a map, found a list
   1 | - name: coder
     | ^^^^^^^^^^^^^
  for example: agents: [{ name: coder }]
`,
  },
  {
    wrong: "a map in place of the list of agents",
    file: `
agents: { name: coder }
`,
    says: `
baton.yaml:1:1  agents must be a list, found a map
   1 | agents: { name: coder }
     | ^^^^^^
  for example: agents: [{ name: coder }]
`,
  },
  {
    wrong: "an agent that is only a name",
    file: `
agents:
  - coder
`,
    says: `
baton.yaml:2:5  agents[0] must be a map, found text
   2 |   - coder
     |     ^^^^^
  for example: { name: coder }
`,
  },
  {
    wrong: "an agent left blank",
    file: `
agents:
  -
`,
    says: `
baton.yaml:2:4  agents[0] has no name
   2 |   -
     |    ^
  add one, for example: name: coder
`,
  },
  {
    wrong: "a misspelt section",
    file: `
agents:
  - name: coder
    sesion:
      on_limit: wait
`,
    says: `
baton.yaml:3:5  unknown key "sesion" in agents[0]
   3 |     sesion:
     |     ^^^^^^
  did you mean "session"?
`,
  },
  {
    wrong: "a key in camelCase",
    file: `
agents:
  - name: coder
    maxTurns: 5
`,
    says: `
baton.yaml:3:5  unknown key "maxTurns" in agents[0]
   3 |     maxTurns: …
     |     ^^^^^^^^
  did you mean "max_turns"?
`,
  },
  {
    wrong: "a key that belongs in a section",
    file: `
agents:
  - name: coder
    context_threshold: 0.2
`,
    says: `
baton.yaml:3:5  unknown key "context_threshold" in agents[0]
   3 |     context_threshold: …
     |     ^^^^^^^^^^^^^^^^^
  "context_threshold" belongs in "session"
`,
  },
  {
    wrong: "an agent's key outside of the agents",
    file: `
model: x
agents:
  - name: coder
`,
    says: `
baton.yaml:1:1  unknown key "model" in the file
   1 | model: …
     | ^^^^^
  "model" belongs in an agent, or in "defaults"
`,
  },
  {
    wrong: "a key that nothing resembles",
    file: `
agents:
  - name: coder
    session: { colour: red }
`,
    says: `
baton.yaml:3:16  unknown key "colour" in agents[0].session
   3 |     session: { colour: …
     |                ^^^^^^
  the keys here are: mode, timeout, context_threshold, context_handoff_threshold, max_handoffs_per_job, on_limit, not_after, fallback, switch_back, background_grace, stall_timeout, max_retries, retry_backoff, auto_compact
`,
  },
  {
    wrong: "a time of the day that there is not",
    file: `
agents:
  - name: coder
    session: { not_after: "25:00" }
`,
    says: `
baton.yaml:3:27  agents[0].session.not_after must be a time of the day, or from one to another, found the text "25:00"
   3 |     session: { not_after: "25:00" }
     |                           ^^^^^^^
  for example: not_after: 22:00
`,
  },
  {
    wrong: "hours that end when they begin",
    unseen: "a pattern compares nothing",
    file: `
agents:
  - name: coder
    session: { not_after: "07:00" }
`,
    says: `
baton.yaml:3:27  agents[0].session.not_after ends when it begins
   3 |     session: { not_after: "07:00" }
     |                           ^^^^^^^
  for example: not_after: 22:00-06:00
`,
  },
  {
    wrong: "a merge key",
    file: `
agents:
  - name: coder
    <<: { model: x }
`,
    says: `
baton.yaml:3:5  unknown key "<<" in agents[0]
   3 |     <<: …
     |     ^^
  merge keys are not read: put what agents share in "defaults"
`,
  },
  {
    wrong: "a name in defaults",
    file: `
defaults: { name: coder }
agents:
  - name: coder
`,
    says: `
baton.yaml:1:13  unknown key "name" in defaults
   1 | defaults: { name: …
     |             ^^^^
  "name" belongs in an agent
`,
  },
  {
    wrong: "a key written twice",
    file: `
agents:
  - name: coder
    model: x
    model: y
`,
    says: `
baton.yaml:4:5  the key "model" is written twice in the same map
   4 |     model: y
     |     ^^^^^
  keep one of them
`,
  },
  {
    wrong: "another version",
    file: `
version: 2
agents:
  - name: coder
`,
    says: `
baton.yaml:1:10  version must be 1, found 2
   1 | version: 2
     |          ^
  write version: 1, or leave it out
`,
  },
  {
    wrong: "an agent without a name",
    file: `
agents:
  - model: x
`,
    says: `
baton.yaml:2:5  agents[0] has no name
   2 |   - model: x
     |     ^^^^^^^^
  add one, for example: name: coder
`,
  },
  {
    wrong: "a name with a space",
    file: `
agents:
  - name: my agent
`,
    says: `
baton.yaml:2:11  agents[0].name must be letters, digits, - _ and ., beginning with a letter or digit, found the text "my agent"
   2 |   - name: my agent
     |           ^^^^^^^^
  for example: name: coder
`,
  },
  {
    wrong: "a name that YAML reads as a number",
    file: `
agents:
  - name: 007
`,
    says: `
baton.yaml:2:11  agents[0].name must be text, found 007
   2 |   - name: 007
     |           ^^^
  for example: name: "007"
`,
  },
  {
    wrong: "two agents whose branches would be one where capitals do not count",
    unseen: "it cannot compare the items of a list",
    file: "\nagents: [{ name: coder }, { name: Coder }]\n",
    says: `
baton.yaml:1:35  "Coder" and "coder" differ by capital letters alone
   1 | agents: [{ name: coder }, { name: Coder }]
     |                                   ^^^^^
  give one of them another name
`,
  },
  {
    wrong: "two agents of one name",
    unseen: "it cannot compare the items of a list",
    file: `
agents:
  - name: coder
  - name: coder
`,
    says: `
baton.yaml:3:11  two agents are named "coder"
   3 |   - name: coder
     |           ^^^^^
  give one of them another name
`,
  },
  {
    wrong: "text where a number belongs",
    file: `
agents:
  - name: coder
    max_turns: many
`,
    says: `
baton.yaml:3:16  agents[0].max_turns must be a whole number of 1 or more, found the text "many"
   3 |     max_turns: many
     |                ^^^^
  for example: max_turns: 200
`,
  },
  {
    wrong: "no turns at all",
    file: `
agents:
  - name: coder
    max_turns: 0
`,
    says: `
baton.yaml:3:16  agents[0].max_turns must be a whole number of 1 or more, found 0
   3 |     max_turns: 0
     |                ^
  for example: max_turns: 200
`,
  },
  {
    wrong: "a fraction of a turn",
    file: `
agents:
  - name: coder
    max_turns: 1.5
`,
    says: `
baton.yaml:3:16  agents[0].max_turns must be a whole number of 1 or more, found 1.5
   3 |     max_turns: 1.5
     |                ^^^
  for example: max_turns: 200
`,
  },
  {
    wrong: "endless turns",
    file: `
agents:
  - name: coder
    max_turns: .inf
`,
    says: `
baton.yaml:3:16  agents[0].max_turns must be a whole number of 1 or more, found .inf
   3 |     max_turns: .inf
     |                ^^^^
  for example: max_turns: 200
`,
  },
  {
    wrong: "a key without its value",
    file: `
agents:
  - name: coder
    max_turns:
`,
    says: `
baton.yaml:3:5  agents[0].max_turns has no value; it must be a whole number of 1 or more
   3 |     max_turns:
     |     ^^^^^^^^^
  for example: max_turns: 200
`,
  },
  {
    wrong: "a number where text belongs",
    file: `
agents:
  - name: coder
    model: 5
`,
    says: `
baton.yaml:3:12  agents[0].model must be text, found 5
   3 |     model: 5
     |            ^
  for example: model: "5"
`,
  },
  {
    wrong: "an empty text",
    file: `
agents:
  - name: coder
    model: ""
`,
    says: `
baton.yaml:3:12  agents[0].model must be text, found an empty text
   3 |     model: ""
     |            ^^
  for example: model: claude-sonnet-4-5
`,
  },
  {
    wrong: "text where a list belongs",
    file: `
agents:
  - name: coder
    allowed_tools: Bash
`,
    says: `
baton.yaml:3:5  agents[0].allowed_tools must be a list, found text
   3 |     allowed_tools: Bash
     |     ^^^^^^^^^^^^^
  for example: allowed_tools: [Bash, Edit]
`,
  },
  {
    wrong: "a list with things that are not text",
    file: `
agents:
  - name: coder
    allowed_tools: [Bash, 5, { a: b }]
`,
    says: `
baton.yaml:3:27  agents[0].allowed_tools[1] must be text, found 5
   3 |     allowed_tools: [Bash, 5, { a: b }]
     |                           ^
  for example: "5"

baton.yaml:3:30  agents[0].allowed_tools[2] must be text, found a map
   3 |     allowed_tools: [Bash, 5, { a: b }]
     |                              ^^^^^^^^
  for example: Bash
`,
  },
  {
    wrong: "a list where a map belongs",
    file: `
agents:
  - name: coder
    limits: [20]
`,
    says: `
baton.yaml:3:5  agents[0].limits must be a map, found a list
   3 |     limits: [20]
     |     ^^^^^^
  for example: limits: { cost_usd: 20 }
`,
  },
  {
    wrong: "a value in the wrong case",
    file: `
agents:
  - name: coder
    permission_mode: acceptedits
`,
    says: `
baton.yaml:3:22  agents[0].permission_mode must be default, acceptEdits, bypassPermissions, plan, dontAsk or auto, found the text "acceptedits"
   3 |     permission_mode: acceptedits
     |                      ^^^^^^^^^^^
  did you mean "acceptEdits"?
`,
  },
  {
    wrong: "a program that Baton cannot run",
    file: `
agents:
  - name: coder
    runtime: cursor
`,
    says: `
baton.yaml:3:14  agents[0].runtime must be claude, claude-cli, codex, pi or acp, found the text "cursor"
   3 |     runtime: cursor
     |              ^^^^^^
  for example: runtime: claude
`,
  },
  {
    wrong: "a runtime that is misspelt",
    file: `
agents:
  - name: coder
    runtime: cluade
`,
    says: `
baton.yaml:3:14  agents[0].runtime must be claude, claude-cli, codex, pi or acp, found the text "cluade"
   3 |     runtime: cluade
     |              ^^^^^^
  did you mean "claude"?
`,
  },
  {
    wrong: "yes for true",
    file: `
agents:
  - name: coder
    session: { auto_compact: yes }
`,
    says: `
baton.yaml:3:30  agents[0].session.auto_compact must be true or false, found the text "yes"
   3 |     session: { auto_compact: yes }
     |                              ^^^
  for example: auto_compact: true
`,
  },
  {
    wrong: "a misspelt choice",
    file: `
agents:
  - name: coder
    session: { on_limit: wiat }
`,
    says: `
baton.yaml:3:26  agents[0].session.on_limit must be wait, pause or switch, found the text "wiat"
   3 |     session: { on_limit: wiat }
     |                          ^^^^
  did you mean "wait"?
`,
  },
  {
    wrong: "a threshold that could mean two things",
    file: `
agents:
  - name: coder
    session: { context_threshold: 70 }
`,
    says: `
baton.yaml:3:35  agents[0].session.context_threshold must be between 0 and 1, or a whole number from 1000 up; found 70
   3 |     session: { context_threshold: 70 }
     |                                   ^^
  write 0.10 to hand off with 10% of the window left, or 150000 with that many tokens in use; for 70% used: handoff: { threshold: 70 }
`,
  },
  {
    wrong: "a threshold of nothing",
    file: `
agents:
  - name: coder
    session: { context_threshold: 0 }
`,
    says: `
baton.yaml:3:35  agents[0].session.context_threshold must be between 0 and 1, or a whole number from 1000 up; found 0
   3 |     session: { context_threshold: 0 }
     |                                   ^
  write 0.10 to hand off with 10% of the window left, or 150000 with that many tokens in use
`,
  },
  {
    wrong: "a price that is not whole",
    file: `
agents:
  - name: coder
    prices: { claude-opus-5: { input: 5 } }
`,
    says: `
baton.yaml:3:15  agents[0].prices.claude-opus-5 has no output
   3 |     prices: { claude-opus-5: { input: 5 } }
     |               ^^^^^^^^^^^^^
  for example: claude-opus-5: { input: 5, output: 25 }
`,
  },
  {
    wrong: "a threshold in words",
    file: `
agents:
  - name: coder
    session: { context_handoff_threshold: ten }
`,
    says: `
baton.yaml:3:43  agents[0].session.context_handoff_threshold must be a number or economical, found the text "ten"
   3 |     session: { context_handoff_threshold: ten }
     |                                           ^^^
  for example: context_handoff_threshold: 0.10
`,
  },
  {
    wrong: "three thresholds at once",
    file: `
agents:
  - name: coder
    session:
      context_threshold: 0.2
      context_handoff_threshold: 0.1
    handoff: { threshold: 70 }
`,
    says: `
baton.yaml:5:7  agents[0].session.context_handoff_threshold says the same thing as session.context_threshold
   5 |       context_handoff_threshold: 0.1
     |       ^^^^^^^^^^^^^^^^^^^^^^^^^
  keep one of them

baton.yaml:6:16  agents[0].handoff.threshold says the same thing as session.context_threshold
   6 |     handoff: { threshold: 70 }
     |                ^^^^^^^^^
  keep one of them
`,
  },
  {
    wrong: "per cents as fractions",
    file: `
agents:
  - name: coder
    handoff:
      threshold: 0.7
      notify_user_at: [50, 160]
`,
    says: `
baton.yaml:4:18  agents[0].handoff.threshold must be a per cent from 1 to 99, found 0.7
   4 |       threshold: 0.7
     |                  ^^^
  for example: threshold: 70

baton.yaml:5:28  agents[0].handoff.notify_user_at[1] must be a per cent from 1 to 99, found 160
   5 |       notify_user_at: [50, 160]
     |                            ^^^
  for example: 70
`,
  },
  {
    wrong: "a time in words",
    file: `
agents:
  - name: coder
    handoff: { timeout: 5 minutes }
`,
    says: `
baton.yaml:3:25  agents[0].handoff.timeout must be a time such as 500ms, 30s, 5m, 6h or 7d, found the text "5 minutes"
   3 |     handoff: { timeout: 5 minutes }
     |                         ^^^^^^^^^
  for example: timeout: 5m
`,
  },
  {
    wrong: "two units in one time",
    file: `
agents:
  - name: coder
    session: { background_grace: 1h30m }
`,
    says: `
baton.yaml:3:34  agents[0].session.background_grace must be a time such as 500ms, 30s, 5m, 6h or 7d, found the text "1h30m"
   3 |     session: { background_grace: 1h30m }
     |                                  ^^^^^
  for example: background_grace: 2m
`,
  },
  {
    wrong: "no time at all",
    file: `
agents:
  - name: coder
    session: { stall_timeout: 0 }
`,
    says: `
baton.yaml:3:31  agents[0].session.stall_timeout must be longer than nothing, found 0
   3 |     session: { stall_timeout: 0 }
     |                               ^
  for example: stall_timeout: 15m
`,
  },
  {
    wrong: "a time that no timer can wait",
    unseen: "times are text to it",
    file: `
agents:
  - name: coder
    limits: { duration: 30d }
`,
    says: `
baton.yaml:3:25  agents[0].limits.duration must be 24d at most, found the text "30d"
   3 |     limits: { duration: 30d }
     |                         ^^^
  for example: duration: 8h
`,
  },
  {
    wrong: "a negative cost",
    file: `
agents:
  - name: coder
    limits: { cost_usd: -1 }
`,
    says: `
baton.yaml:3:25  agents[0].limits.cost_usd must be a number above 0, found -1
   3 |     limits: { cost_usd: -1 }
     |                         ^^
  for example: cost_usd: 20
`,
  },
  {
    wrong: "a window in thousands",
    file: `
agents:
  - name: coder
    context_window: 200k
`,
    says: `
baton.yaml:3:21  agents[0].context_window must be a whole number of 1000 or more, found the text "200k"
   3 |     context_window: 200k
     |                     ^^^^
  for example: context_window: 200000
`,
  },
  {
    wrong: "a working directory without its root",
    file: `
agents:
  - name: coder
    working_directory: {}
`,
    says: `
baton.yaml:3:5  agents[0].working_directory has no root
   3 |     working_directory: {}
     |     ^^^^^^^^^^^^^^^^^
  for example: working_directory: { root: ./project }
`,
  },
  {
    wrong: "a working directory with another key",
    file: `
agents:
  - name: coder
    working_directory: { rot: . }
`,
    says: `
baton.yaml:3:26  unknown key "rot" in agents[0].working_directory
   3 |     working_directory: { rot: …
     |                          ^^^
  did you mean "root"?
`,
  },
  {
    wrong: "MCP servers that lack something",
    file: `
agents:
  - name: coder
    mcp_servers:
      one: { url: 'https://x.y/z' }
      two: { type: http }
      three:
      four: npx
`,
    says: `
baton.yaml:4:7  agents[0].mcp_servers.one has a url and no type
   4 |       one: { url: 'https://x.y/z' }
     |       ^^^
  add type: http, or type: sse for an older server

baton.yaml:5:7  agents[0].mcp_servers.two has no url
   5 |       two: { type: http }
     |       ^^^
  add its address: url: https://example.com/mcp

baton.yaml:6:7  agents[0].mcp_servers.three has no command
   6 |       three:
     |       ^^^^^
  add the program that starts it: command: npx

baton.yaml:7:7  agents[0].mcp_servers.four must be a map, found text
   7 |       four: npx
     |       ^^^^
  for example: four: { command: npx, args: [some-server] }
`,
  },
  {
    wrong: "MCP servers that have something wrong",
    file: `
agents:
  - name: coder
    mcp_servers:
      one: { type: htp, url: a }
      two: { type: sse, url: nowhere }
      three: { command: npx, arg: [x] }
      four: { command: 5 }
`,
    says: `
baton.yaml:4:20  agents[0].mcp_servers.one.type must be stdio, http or sse, found the text "htp"
   4 |       one: { type: htp, url: a }
     |                    ^^^
  did you mean "http"?

baton.yaml:5:25  agents[0].mcp_servers.two.url is not a web address
   5 |       two: { type: sse, url: …
     |                         ^^^
  start it with https:// or http://

baton.yaml:6:30  unknown key "arg" in agents[0].mcp_servers.three
   6 |       three: { command: npx, arg: …
     |                              ^^^
  did you mean "args"?

baton.yaml:7:24  agents[0].mcp_servers.four.command must be text, found 5
   7 |       four: { command: 5 }
     |                        ^
  for example: command: "5"
`,
  },
  {
    wrong: "tabs, which are one mistake",
    file: `
agents:
\t- name: coder
\t  model: x
\t  env:
\t\tA: "1"
`,
    says: `
baton.yaml:2:1  a tab is used for indentation
   2 | →- name: coder
     | ^
  use spaces, here and below: YAML allows no tabs there
`,
  },
  {
    wrong: "an open quote",
    file: `
agents:
  - name: "coder
    model: x
`,
    says: `
baton.yaml:2:11  this quote is never closed
   2 |   - name: "coder
     |           ^
  close it with "
`,
  },
  {
    wrong: "an open bracket",
    file: `
agents: [
  { name: coder }
`,
    says: `
baton.yaml:1:9  this bracket is never closed
   1 | agents: [
     |         ^
  close it with ]
`,
  },
  {
    wrong: "a key that is indented too little",
    file: `
agents:
  - name: coder
   model: x
`,
    says: `
baton.yaml:3:4  something is missing or indented differently here
   3 |    model: x
     |    ^
  look for a missing ":", "," or "-", or a line that starts in another column than its neighbours
`,
  },
  {
    wrong: "a missing colon",
    file: `
agents:
  - name coder
    model: x
`,
    says: `
baton.yaml:2:5  this line has no ":" after its key
   2 |   - name coder
     |     ^^^^^^^^^^
  write it as key: value
`,
  },
  {
    wrong: "a colon too many",
    file: `
agents:
  - name: coder: x
`,
    says: `
baton.yaml:2:11  a second key: value starts in the middle of a value
   2 |   - name: coder: x
     |           ^
  put the value in quotes, or the second key on a line of its own
`,
  },
  {
    wrong: "a reserved character",
    file: `
agents:
  - name: @coder
`,
    says: `
baton.yaml:2:11  a value cannot start with this character
   2 |   - name: @coder
     |           ^
  put the value in quotes
`,
  },
  {
    wrong: "an unknown escape",
    file: `
agents:
  - name: coder
    system_prompt: "\\q"
`,
    says: `
baton.yaml:3:21  this is not an escape that YAML knows
   3 |     system_prompt: "\\q"
     |                     ^
  write \\\\ for a backslash, or use 'single quotes'
`,
  },
  {
    wrong: "an alias without its anchor",
    file: `
agents: *all
`,
    says: `
baton.yaml:1:9  there is no anchor "all" before this alias
   1 | agents: *all
     |         ^^^^
  add &all where the value is first written, or put this text in quotes
`,
  },
  {
    wrong: "an alias within itself",
    file: `
agents: &all [*all]
`,
    says: `
baton.yaml:1:15  the alias "all" contains itself
   1 | agents: &all [*all]
     |               ^^^^
  write the value out
`,
  },
  {
    wrong: "two documents",
    file: `
agents:
  - name: coder
---
agents:
  - name: coder
`,
    says: `
baton.yaml:3:1  a second document starts here
   3 | ---
     | ^^^
  remove the line: a configuration is one document
`,
  },
  {
    wrong: "an unknown tag",
    file: `
version: !one 1
`,
    says: `
baton.yaml:1:10  this tag is not known
   1 | version: !one 1
     |          ^^^^
  remove the tag, or put text that starts with ! in quotes
`,
  },
  {
    wrong: "a map as a key",
    file: `
{ ? { a: b } : c }
`,
    says: `
baton.yaml:1:5  a key must be plain text
   1 | { ? { a: b } : c }
     |     ^
  write it as key: value, and text with { } in quotes
`,
  },
];

describe("a wrong baton.yaml", () => {
  it.each(REFUSALS)("is refused for $wrong", ({ file, says }) => {
    expect(`\n${refusal(file.slice(1))}\n`).toBe(says);
  });

  const withAnchors = REFUSALS.filter(({ file }) => !file.includes("*all"));
  it.each(withAnchors)("is refused by the schema too for $wrong", ({ file, unseen }) => {
    expect(passesSchema(file.slice(1))).toBe(unseen !== undefined);
  });
});
