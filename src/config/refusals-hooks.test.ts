import { describe, expect, it } from "vitest";
import { passesSchema, type Refusal, refusal } from "../../test/refused.ts";

/** Each file is wrong in a way that people's files are, and `says` is all that they read then. */
const REFUSALS: Refusal[] = [
  {
    wrong: "hooks in a list",
    file: `
agents:
  - name: coder
    hooks:
      - type: shell
`,
    says: `
baton.yaml:3:5  agents[0].hooks must be a map, found a list
   3 |     hooks:
     |     ^^^^^
  for example: hooks: { after_run: [{ type: shell, command: ./notify.sh }] }
`,
  },
  {
    wrong: "a hook that is not in a list",
    file: `
agents:
  - name: coder
    hooks:
      after_run: { type: shell, command: ./x.sh }
`,
    says: `
baton.yaml:4:7  agents[0].hooks.after_run must be a list, found a map
   4 |       after_run: { type: shell, command: ./x.sh }
     |       ^^^^^^^^^
  for example: after_run: [{ type: shell, command: ./notify.sh }]
`,
  },
  {
    wrong: "a point that there is not",
    file: `
agents:
  - name: coder
    hooks:
      after_runs: []
`,
    says: `
baton.yaml:4:7  unknown key "after_runs" in agents[0].hooks
   4 |       after_runs: …
     |       ^^^^^^^^^^
  did you mean "after_run"?
`,
  },
  {
    wrong: "a point outside of the hooks",
    file: `
agents:
  - name: coder
    on_handoff: []
`,
    says: `
baton.yaml:3:5  unknown key "on_handoff" in agents[0]
   3 |     on_handoff: …
     |     ^^^^^^^^^^
  "on_handoff" belongs in "hooks"
`,
  },
  {
    wrong: "a hook that is only a command",
    file: `
agents:
  - name: coder
    hooks:
      after_run: [./notify.sh]
`,
    says: `
baton.yaml:4:19  agents[0].hooks.after_run[0] must be a map, found text
   4 |       after_run: [./notify.sh]
     |                   ^^^^^^^^^^^
  for example: { type: shell, command: ./notify.sh }
`,
  },
  {
    wrong: "a hook without a type",
    file: `
agents:
  - name: coder
    hooks:
      after_run:
        - command: ./notify.sh
`,
    says: `
baton.yaml:5:11  agents[0].hooks.after_run[0] has no type
   5 |         - command: ./notify.sh
     |           ^^^^^^^^^^^^^^^^^^^^
  add type: shell
`,
  },
  {
    wrong: "a hook without a type that nothing gives away",
    file: `
agents:
  - name: coder
    hooks:
      after_run:
        - name: Tell
`,
    says: `
baton.yaml:5:11  agents[0].hooks.after_run[0] has no type
   5 |         - name: Tell
     |           ^^^^^^^^^^
  add type: shell, webhook, slack or discord
`,
  },
  {
    wrong: "a misspelt type",
    file: `
agents:
  - name: coder
    hooks:
      after_run:
        - type: sell
          command: ./notify.sh
`,
    says: `
baton.yaml:5:17  agents[0].hooks.after_run[0].type must be shell, webhook, slack or discord, found the text "sell"
   5 |         - type: sell
     |                 ^^^^
  did you mean "shell"?
`,
  },
  {
    wrong: "a type that there is not",
    file: `
agents:
  - name: coder
    hooks:
      after_run:
        - type: email
          to: you@example.com
`,
    says: `
baton.yaml:5:17  agents[0].hooks.after_run[0].type must be shell, webhook, slack or discord, found the text "email"
   5 |         - type: email
     |                 ^^^^^
  for example: type: shell
`,
  },
  {
    wrong: "a shell hook without a command",
    file: `
agents:
  - name: coder
    hooks:
      after_run:
        - type: shell
          name: Nothing
`,
    says: `
baton.yaml:5:11  agents[0].hooks.after_run[0] has no command
   5 |         - type: shell
     |           ^^^^^^^^^^^
  add what it runs: command: ./notify.sh
`,
  },
  {
    wrong: "an empty command",
    file: `
agents:
  - name: coder
    hooks:
      after_run:
        - type: shell
          command: ""
`,
    says: `
baton.yaml:6:20  agents[0].hooks.after_run[0].command must be text, found an empty text
   6 |           command: ""
     |                    ^^
  for example: command: ./notify.sh
`,
  },
  {
    wrong: "a command as a list",
    file: `
agents:
  - name: coder
    hooks:
      after_run:
        - type: shell
          command: [./notify.sh, now]
`,
    says: `
baton.yaml:6:11  agents[0].hooks.after_run[0].command must be text, found a list
   6 |           command: [./notify.sh, now]
     |           ^^^^^^^
  for example: command: ./notify.sh
`,
  },
  {
    wrong: "a webhook without an address",
    file: `
agents:
  - name: coder
    hooks:
      after_run:
        - type: webhook
`,
    says: `
baton.yaml:5:11  agents[0].hooks.after_run[0] has no url
   5 |         - type: webhook
     |           ^^^^^^^^^^^^^
  add its address: url: https://example.com/hook
`,
  },
  {
    wrong: "an address that is not of the web",
    file: `
agents:
  - name: coder
    hooks:
      after_run:
        - type: webhook
          url: ftp://example.com
`,
    says: `
baton.yaml:6:11  agents[0].hooks.after_run[0].url is not a web address
   6 |           url: …
     |           ^^^
  start it with https:// or http://
`,
  },
  {
    wrong: "a Slack hook without a target",
    file: `
agents:
  - name: coder
    hooks:
      after_run:
        - type: slack
`,
    says: `
baton.yaml:5:11  agents[0].hooks.after_run[0] has no channel_id
   5 |         - type: slack
     |           ^^^^^^^^^^^
  add the channel: channel_id: …, or a webhook_url
`,
  },
  {
    wrong: "a Discord hook with two targets",
    file: `
agents:
  - name: coder
    hooks:
      after_run:
        - type: discord
          channel_id: "1"
          webhook_url: https://discord.com/api/webhooks/1/x
`,
    says: `
baton.yaml:7:11  agents[0].hooks.after_run[0] has a channel_id and a webhook_url
   7 |           webhook_url: …
     |           ^^^^^^^^^^^
  keep one of them: a webhook has its channel already
`,
  },
  {
    wrong: "a channel that YAML reads as a number",
    file: `
agents:
  - name: coder
    hooks:
      after_run:
        - type: discord
          channel_id: 123456789012345678
`,
    says: `
baton.yaml:6:23  agents[0].hooks.after_run[0].channel_id must be text, found 123456789012345678
   6 |           channel_id: 123456789012345678
     |                       ^^^^^^^^^^^^^^^^^^
  for example: channel_id: "123456789012345678"
`,
  },
  {
    wrong: "a key of another kind of hook",
    file: `
agents:
  - name: coder
    hooks:
      after_run:
        - type: shell
          command: ./notify.sh
          url: https://example.com
`,
    says: `
baton.yaml:7:11  unknown key "url" in agents[0].hooks.after_run[0]
   7 |           url: …
     |           ^^^
  "url" is a key of webhook hooks
`,
  },
  {
    wrong: "a key of two other kinds of hook",
    file: `
agents:
  - name: coder
    hooks:
      after_run:
        - type: webhook
          url: https://example.com
          channel_id: C1
`,
    says: `
baton.yaml:7:11  unknown key "channel_id" in agents[0].hooks.after_run[0]
   7 |           channel_id: …
     |           ^^^^^^^^^^
  "channel_id" is a key of slack or discord hooks
`,
  },
  {
    wrong: "a misspelt key of a hook",
    file: `
agents:
  - name: coder
    hooks:
      after_run:
        - type: shell
          comand: ./notify.sh
`,
    says: `
baton.yaml:6:11  unknown key "comand" in agents[0].hooks.after_run[0]
   6 |           comand: …
     |           ^^^^^^
  did you mean "command"?
`,
  },
  {
    wrong: "an event that there is not",
    file: `
agents:
  - name: coder
    hooks:
      after_run:
        - type: shell
          command: ./x.sh
          on_events: [complete]
`,
    says: `
baton.yaml:7:23  agents[0].hooks.after_run[0].on_events[0] must be completed, failed, timeout, cancelled, paused, context_threshold, session_start, handoff, ask, stall, missed, budget or review, found the text "complete"
   7 |           on_events: [complete]
     |                       ^^^^^^^^
  did you mean "completed"?
`,
  },
  {
    wrong: "one event without its list",
    file: `
agents:
  - name: coder
    hooks:
      after_run:
        - type: shell
          command: ./x.sh
          on_events: failed
`,
    says: `
baton.yaml:7:11  agents[0].hooks.after_run[0].on_events must be a list, found text
   7 |           on_events: failed
     |           ^^^^^^^^^
  for example: on_events: [completed, failed]
`,
  },
  {
    wrong: "an event that never happens at that point",
    file: `
agents:
  - name: coder
    hooks:
      on_handoff:
        - type: shell
          command: ./x.sh
          on_events: [completed]
`,
    says: `
baton.yaml:7:23  agents[0].hooks.on_handoff[0].on_events: completed never happens at on_handoff
   7 |           on_events: [completed]
     |                       ^^^^^^^^^
  what happens there: handoff
`,
  },
  {
    wrong: "an event of a failed job that did not fail",
    file: `
agents:
  - name: coder
    hooks:
      on_error:
        - type: shell
          command: ./x.sh
          on_events: [failed, completed]
`,
    says: `
baton.yaml:7:31  agents[0].hooks.on_error[0].on_events: completed never happens at on_error
   7 |           on_events: [failed, completed]
     |                               ^^^^^^^^^
  what happens there: failed or timeout
`,
  },
  {
    wrong: "an event before there is one",
    file: `
agents:
  - name: coder
    hooks:
      before_run:
        - type: shell
          command: ./x.sh
          on_events: [session_start]
`,
    says: `
baton.yaml:7:23  agents[0].hooks.before_run[0].on_events: session_start never happens at before_run
   7 |           on_events: [session_start]
     |                       ^^^^^^^^^^^^^
  leave on_events out
`,
  },
  {
    wrong: "a condition that is an expression",
    file: `
agents:
  - name: coder
    hooks:
      after_run:
        - type: shell
          command: ./x.sh
          when: "result.success == true"
`,
    says: `
baton.yaml:7:17  agents[0].hooks.after_run[0].when must be a dot path into the payload, with ! in front to negate, found the text "result.success == true"
   7 |           when: "result.success == true"
     |                 ^^^^^^^^^^^^^^^^^^^^^^^^
  for example: when: session.is_continuation
`,
  },
  {
    wrong: "a condition that YAML takes for a tag",
    file: `
agents:
  - name: coder
    hooks:
      after_run:
        - type: shell
          command: ./x.sh
          when: !result.success
`,
    says: `
baton.yaml:7:17  this tag is not known
   7 |           when: !result.success
     |                 ^^^^^^^^^^^^^^^
  remove the tag, or put text that starts with ! in quotes
`,
  },
  {
    wrong: "a condition that is true",
    file: `
agents:
  - name: coder
    hooks:
      after_run:
        - type: shell
          command: ./x.sh
          when: true
`,
    says: `
baton.yaml:7:17  agents[0].hooks.after_run[0].when must be a dot path into the payload, with ! in front to negate, found true
   7 |           when: true
     |                 ^^^^
  for example: when: session.is_continuation
`,
  },
  {
    wrong: "a hook that may take no time",
    file: `
agents:
  - name: coder
    hooks:
      after_run:
        - type: shell
          command: ./x.sh
          timeout: 0
`,
    says: `
baton.yaml:7:20  agents[0].hooks.after_run[0].timeout must be longer than nothing, found 0
   7 |           timeout: 0
     |                    ^
  for example: timeout: 30s
`,
  },
  {
    wrong: "a hook that may take a month",
    unseen: "times are text to it",
    file: `
agents:
  - name: coder
    hooks:
      after_run:
        - type: shell
          command: ./x.sh
          timeout: 31d
`,
    says: `
baton.yaml:7:20  agents[0].hooks.after_run[0].timeout must be 24d at most, found the text "31d"
   7 |           timeout: 31d
     |                    ^^^
  for example: timeout: 30s
`,
  },
  {
    wrong: "a timeout in words",
    file: `
agents:
  - name: coder
    hooks:
      after_run:
        - type: shell
          command: ./x.sh
          timeout: half a minute
`,
    says: `
baton.yaml:7:20  agents[0].hooks.after_run[0].timeout must be a time such as 500ms, 30s, 5m, 6h or 7d, found the text "half a minute"
   7 |           timeout: half a minute
     |                    ^^^^^^^^^^^^^
  for example: timeout: 30s
`,
  },
  {
    wrong: "no for false",
    file: `
agents:
  - name: coder
    hooks:
      after_run:
        - type: shell
          command: ./x.sh
          continue_on_error: no
`,
    says: `
baton.yaml:7:30  agents[0].hooks.after_run[0].continue_on_error must be true or false, found the text "no"
   7 |           continue_on_error: no
     |                              ^^
  for example: continue_on_error: true
`,
  },
  {
    wrong: "a method that sends nothing",
    file: `
agents:
  - name: coder
    hooks:
      after_run:
        - type: webhook
          url: https://example.com
          method: GET
`,
    says: `
baton.yaml:7:19  agents[0].hooks.after_run[0].method must be POST or PUT, found the text "GET"
   7 |           method: GET
     |                   ^^^
  for example: method: POST
`,
  },
  {
    wrong: "retries without end",
    file: `
agents:
  - name: coder
    hooks:
      after_run:
        - type: webhook
          url: https://example.com
          retries: 1000
`,
    says: `
baton.yaml:7:20  agents[0].hooks.after_run[0].retries must be a whole number up to 10, found 1000
   7 |           retries: 1000
     |                    ^^^^
  for example: retries: 5
`,
  },
  {
    wrong: "headers as a list",
    file: `
agents:
  - name: coder
    hooks:
      after_run:
        - type: webhook
          url: https://example.com
          headers:
            - Authorization: x
`,
    says: `
baton.yaml:7:11  agents[0].hooks.after_run[0].headers must be a map, found a list
   7 |           headers:
     |           ^^^^^^^
  for example: headers: { Authorization: … }
`,
  },
  {
    wrong: "a header with a space in its name",
    file: `
agents:
  - name: coder
    hooks:
      after_run:
        - type: webhook
          url: https://example.com
          headers: { My Header: x }
`,
    says: `
baton.yaml:7:22  agents[0].hooks.after_run[0].headers.My Header is not the name of a header
   7 |           headers: …
     |           ^^^^^^^
  use letters, digits and -
`,
  },
  {
    wrong: "a header of two lines",
    file: `
agents:
  - name: coder
    hooks:
      after_run:
        - type: webhook
          url: https://example.com
          headers:
            Note: "a\\nb"
`,
    says: `
baton.yaml:8:13  agents[0].hooks.after_run[0].headers.Note cannot be sent as a header
   8 |             Note: …
     |             ^^^^
  a header is one line of plain characters
`,
  },
  {
    wrong: "a token where the name of its variable belongs",
    file: `
agents:
  - name: coder
    hooks:
      after_run:
        - type: slack
          channel_id: C1
          bot_token_env: xoxb-1234
`,
    says: `
baton.yaml:7:11  agents[0].hooks.after_run[0].bot_token_env must be the name of an environment variable, found text
   7 |           bot_token_env: …
     |           ^^^^^^^^^^^^^
  for example: bot_token_env: BOT_TOKEN
`,
  },
  {
    wrong: "a secret where the name of its variable belongs",
    file: `
agents:
  - name: coder
    hooks:
      after_run:
        - type: shell
          command: ./x.sh
          env: { TOKEN: x }
`,
    says: `
baton.yaml:7:11  agents[0].hooks.after_run[0].env must be a list, found a map
   7 |           env: …
     |           ^^^
  for example: env: [GITHUB_TOKEN]
`,
  },
  {
    wrong: "a notification that there is not",
    file: `
agents:
  - name: coder
    notify: { events: [pauses, always] }
`,
    says: `
baton.yaml:3:24  agents[0].notify.events[0] must be warning, handoff, pause, failure, completion, ask, stall, missed, budget or review, found the text "pauses"
   3 |     notify: { events: [pauses, always] }
     |                        ^^^^^^
  did you mean "pause"?

baton.yaml:3:32  agents[0].notify.events[1] must be warning, handoff, pause, failure, completion, ask, stall, missed, budget or review, found the text "always"
   3 |     notify: { events: [pauses, always] }
     |                                ^^^^^^
  for example: warning
`,
  },
  {
    wrong: "a notification switched on by its name",
    file: `
agents:
  - name: coder
    notify: desktop
`,
    says: `
baton.yaml:3:5  agents[0].notify must be a map, found text
   3 |     notify: desktop
     |     ^^^^^^
  for example: notify: { desktop: true }
`,
  },
  {
    wrong: "a notification with a hook that is wrong",
    file: `
agents:
  - name: coder
    notify: { hooks: [{ type: slack }] }
`,
    says: `
baton.yaml:3:23  agents[0].notify.hooks[0] has no channel_id
   3 |     notify: { hooks: [{ type: slack }] }
     |                       ^^^^^^^^^^^^^^^
  add the channel: channel_id: …, or a webhook_url
`,
  },
  {
    wrong: "a key of notify outside of it",
    file: `
agents:
  - name: coder
    desktop: true
`,
    says: `
baton.yaml:3:5  unknown key "desktop" in agents[0]
   3 |     desktop: …
     |     ^^^^^^^
  "desktop" belongs in "notify"
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
