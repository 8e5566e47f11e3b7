import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { withoutCredentials } from "../../src/secrets/credentials.ts";
import { findSecrets } from "../../src/secrets/find.ts";
import { redactor } from "../../src/secrets/redact.ts";
import { RedactedStream } from "../../src/secrets/redacted-stream.ts";

const root = join(import.meta.dirname, "..", "..");
const PRIVATE = "PRIVATE";

describe("the work that a text makes", () => {
  /** What a pattern would read again from each of its places. */
  const parts = [
    ...["-eyJ", "eyJ", ".eyJ", "eyJa.", "https://", "https://a", "a:b@", "://@", "?key", "token=", "token:"],
    ...[
      'token: "',
      "token='",
      "token=\\",
      'token=\\"',
      "token=a..",
      "token==",
      "cookie:",
      "cookie: a=",
      "Authorization: ",
    ],
    ...[
      'cookie: "a=',
      `-----BEGIN ${PRIVATE} KEY-----`,
      `-----BEGIN ${PRIVATE} KEY-----\n`,
      `-----END ${PRIVATE} KEY-----`,
    ],
    ...[
      "-----BEGIN A",
      "-----END A",
      "-----",
      "--a",
      "--token ",
      "--token a ",
      "Basic ",
      "Basic a",
      "Bearer ",
      "AKIA",
    ],
    ...[
      "-AKIA",
      "sk-",
      "sk-ant-",
      "ghp_",
      "_ghp_",
      "\\n",
      "\\",
      "%20",
      "%",
      "password ",
      "login a password ",
      ":5432:",
    ],
    ...[
      ":*:",
      "a:5432:b:c:d",
      "~",
      "8Q~",
      "a.aaaaaa.",
      "-us1",
      "pat",
      "=",
      ":",
      '"',
      "'",
      "`",
      " ",
      "\n",
      "\t",
      "a",
    ],
    ...[
      "a ",
      "a=",
      "[redacted",
      "[redacted: ",
      "client_secret: |\n ",
      'client_secret: |\n "',
      "Private-Lines: 1\n",
    ],
    ...[
      "sshpass -p",
      "-u a:",
      "hooks.slack.com/",
      "SG.",
      "SG.a",
      "\u4e00",
      "x-amz-signature=",
      ".atlasv1.",
      "api_key: \\\\\\",
    ],
  ];

  it.each(parts)("grows with its length, of %j again and again", (part) => {
    const stepsOf = (length: number) => findSecrets(part.repeat(Math.ceil(length / part.length))).steps;
    const [once, twice] = [stepsOf(30_000), stepsOf(60_000)];
    expect(twice).toBeLessThan(2.2 * once + 1_000);
    expect(twice).toBeLessThan(120 * 60_000);
  });

  /** Of these, each token that begins would be followed to the end of the text by a pattern: twice the text, four times the work. */
  const half = 60_000;
  it.each([
    ["tokens that never end", `${"-eyJ".repeat(half / 4)}aaaaaaaaaa.eyJ${"a".repeat(half)}`],
    ["keys that never end", `-----BEGIN ${PRIVATE} KEY-----`.repeat(4_400)],
    ["keys with half an end", `-----BEGIN ${PRIVATE} KEY-----`.repeat(2_200) + "-----END A".repeat(6_000)],
    ["a query that never ends", `?${"key".repeat(40_000)}`],
    ["an address that never ends", `https://${"a:".repeat(60_000)}`],
    ["an expression that never ends", `token: "a${".".repeat(120_000)}-`],
  ])("is little for 120 kB of %s", (_what, text) => {
    expect(text.length).toBeGreaterThan(100_000);
    expect(findSecrets(text).steps).toBeLessThan(60 * text.length);
    redactor({ MY_TOKEN: "a".repeat(40) })(text);
    withoutCredentials(text);
    const stream = new RedactedStream(redactor({}));
    for (let at = 0; at < text.length; at += 4_000) stream.add(text.slice(at, at + 4_000));
  });

  it("is little for an object of thousands of keys that are all secrets, nested as deeply as it likes", () => {
    const keys = Object.fromEntries(
      Array.from({ length: 5_000 }, (_, index) => [`gh${"p_"}${index}${"a".repeat(30)}`, 1]),
    );
    expect(Object.keys(redactor({})(keys))).toHaveLength(5_000);
    let deep: unknown = "x";
    for (let level = 0; level < 100_000; level++) deep = [deep];
    expect(JSON.stringify(redactor({})(deep))).toContain("[too deep]");
  });
});

describe("ordinary text", () => {
  /** What is a secret by every sign: a token in the address of a badge, and the key that the simulator takes. */
  const EXCLUDED = new Set([
    "node_modules/es-toolkit/README.md",
    "node_modules/@seriousme/openapi-schema-validator/README.md",
    "src/simulator/environment.ts",
  ]);
  const KINDS = [".js", ".mjs", ".cjs", ".d.ts", ".ts", ".md", ".map", ".json"];
  const MOST_OF_A_KIND = 1_200_000;

  /** Our own tests hold secrets on purpose; and sentences without a space, under the key `pass`, are not to be told from one. */
  const isOrdinary = (path: string) =>
    !EXCLUDED.has(path) &&
    !/\.test\.ts$|^test\/|^src\/secrets\/|\/axe-core\/locales\//.test(path) &&
    !/\/\.(?:node|cache)\//.test(path);

  function* filesIn(folder: string): Generator<string> {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory() && entry.name !== ".git") yield* filesIn(path);
      else if (entry.isFile()) yield path;
    }
  }

  function* ordinary(): Generator<{ path: string; text: string }> {
    const taken = new Map<string, number>();
    for (const folder of ["src", "docs", "bench", "scripts", "node_modules"]) {
      for (const file of filesIn(join(root, folder))) {
        const path = relative(root, file);
        const kind = KINDS.find((each) => path.endsWith(each));
        const before = taken.get(kind ?? "") ?? 0;
        if (
          kind === undefined ||
          before > MOST_OF_A_KIND ||
          !isOrdinary(path) ||
          statSync(file).size > 600_000
        )
          continue;
        const text = readFileSync(file, "utf8");
        taken.set(kind, before + text.length);
        yield { path, text };
      }
    }
  }

  it("is left as it is: 5 MB of source, types, maps, documentation and the lock file", () => {
    const found: string[] = [];
    let looked = 0;
    const lock = { path: "package-lock.json", text: readFileSync(join(root, "package-lock.json"), "utf8") };
    for (const { path, text } of [lock, ...ordinary()]) {
      looked += text.length;
      for (const { from, to } of findSecrets(text).spans) found.push(`${path}: ${text.slice(from - 30, to)}`);
    }
    expect(looked).toBeGreaterThan(5_000_000);
    expect(found).toEqual([]);
  });

  it("is left as it is: hashes, ids, images and what people write about secrets", () => {
    let state = 7;
    const byte = () => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      return state >>> 24;
    };
    const bytes = (length: number) => Buffer.from(Array.from({ length }, byte));
    const hashes = Array.from({ length: 3_000 }, () => bytes(32).toString("hex"));
    const ids = hashes.map((each) => each.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*/, "$1-$2-$3-$4-$5"));
    const integrity = hashes.map(
      (each) => `"integrity": "sha512-${Buffer.from(each + each, "hex").toString("base64")}=="`,
    );
    const image = `<img src="data:image/png;base64,${bytes(300_000).toString("base64")}">`;
    const words = [
      "The token is expired. Set GITHUB_TOKEN=<your token> or pass --token $TOKEN.",
      "password: string; const apiKey = process.env.API_KEY; token: tokens[0]; secret: config.get('secret')",
      "Authorization: Bearer <token>, or Authorization: Basic with a user and a password",
      "git clone https://github.com/o/r.git && git clone git@github.com:o/r && ssh://git@host:22/r",
      '"tokens": 128000, "max_tokens": 4096, maxOutputTokens=32000, tokenCount: 15342',
      "commit 3f1c2d4e5b6a79880716253443526170a1b2c3d4, sk-learn, task-list-of-many-words, a risk-free-trial-version",
      "public key: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ8 me@host, -----BEGIN CERTIFICATE-----",
    ];
    for (const text of [hashes, ids, integrity, [image], words].map((each) => each.join("\n"))) {
      expect(findSecrets(text).spans.map(({ from, to }) => text.slice(from - 20, to))).toEqual([]);
      expect(redactor({})(text)).toBe(text);
    }
  });
});
