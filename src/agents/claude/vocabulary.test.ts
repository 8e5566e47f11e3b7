import { expect, it } from "vitest";
import { claudeVocabulary } from "./vocabulary.ts";

it.each([
  ["npm test", ["Bash(npm test:*)"]],
  ["go test ./...", ["Bash(go test:*)"]],
  ["bazel test //...", ["Bash(bazel test:*)"]],
  ["cd web && npm run lint; npm test", ["Bash(npm run lint:*)", "Bash(npm test:*)"]],
  ["sh -c 'a && b'", ["Bash(sh -c 'a && b':*)"]],
])("allows %s with %j", (command, rules) => {
  expect(claudeVocabulary.commandRules(command)).toEqual(rules);
});
