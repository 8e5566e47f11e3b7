import fc from "fast-check";
import { expect, it } from "vitest";
import { LABELS } from "../../../test/github-source.ts";
import { answerJson, startReceiver } from "../../../test/receiver.ts";
import { SourceError } from "../source.ts";
import { openGitHub } from "./open.ts";

const { signal } = new AbortController();

const GOOD: Record<string, unknown> = {
  number: 1,
  node_id: "I_1",
  title: "Fix login",
  body: null,
  html_url: "https://example.invalid/1",
  state: "open",
  labels: ["ready"],
  user: { login: "alice" },
  created_at: "2026-11-18T12:00:00Z",
  updated_at: "2026-11-18T12:00:00Z",
  id: 1,
  event: "labeled",
  label: { name: "ready" },
  actor: { login: "alice" },
  login: "robot",
  permission: "write",
  full_name: "acme/app",
};

/** What could be an answer but for some of its fields, in a list or alone, or anything else. */
const almost = fc
  .dictionary(
    fc.constantFrom(...Object.keys(GOOD), "pull_request", "issue_dependencies_summary", "__proto__"),
    fc.jsonValue(),
    { maxKeys: 3 },
  )
  .map((changed) => ({ ...GOOD, ...changed }));
const body = fc.oneof(almost, fc.array(almost, { maxLength: 3 }), fc.jsonValue());

it("is a SourceError or an answer of the right form, whatever a server says", async () => {
  let answers: unknown[] = [];
  let asked = 0;
  const { url, received } = await startReceiver((_, response) => {
    answerJson(response, 200, (answers[asked++ % answers.length] ?? null) as object);
  });
  const config = {
    repo: "acme/app",
    apiUrl: url,
    labels: LABELS,
    auth: { kind: "token", env: "T" },
  } as const;
  let good = 0;
  const orSourceError = async <T>(what: Promise<T>): Promise<T | undefined> => {
    try {
      const found = await what;
      good++;
      return found;
    } catch (error) {
      expect(error).toBeInstanceOf(SourceError);
      return undefined;
    }
  };
  await fc.assert(
    fc.asyncProperty(fc.array(body, { minLength: 1, maxLength: 6 }), async (given) => {
      answers = given;
      const source = openGitHub(config, { T: "token" });
      const poll = await orSourceError(source.poll(signal));
      const read = await orSourceError(source.read("1", signal));
      for (const item of [...(poll?.kind === "items" ? poll.items : []), ...(read ? [read] : [])]) {
        expect(item.id).toMatch(/^[1-9]\d*$/);
        expect(item.url).toMatch(/^https?:/);
        expect(typeof item.by.trusted).toBe("boolean");
        expect(
          [item.title, item.text, ...item.labels, ...item.blockedBy].every(
            (text) => typeof text === "string",
          ),
        ).toBe(true);
        await orSourceError(source.markTaken(item, signal));
        await orSourceError(source.report(item, { marker: "job", text: "Hello" }, signal));
      }
      const findings = await orSourceError(source.check(signal));
      expect(findings?.every(({ key, problem, remedy }) => [key, problem, remedy].every(Boolean))).not.toBe(
        false,
      );
    }),
    { numRuns: 30 },
  );
  expect(good).toBeGreaterThan(30);
  expect(received.every(({ path }) => path.startsWith("/repos/acme/app") || path === "/user")).toBe(true);
});
