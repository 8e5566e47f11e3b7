import { describe, expect, it } from "vitest";
import { redactor } from "./redact.ts";

const env = { MY_API_TOKEN: "tok-1234567890", PATH: "/usr/bin:/usr/local/bin", SHORT_KEY: "abc" };

describe("redaction", () => {
  it("takes out the values of secret-looking variables, wherever they stand", () => {
    const clean = redactor(env)({
      text: "curl -H tok-1234567890",
      deep: [{ more: "tok-1234567890!" }],
      count: 3,
    });
    expect(clean).toEqual({
      text: "curl -H [redacted: MY_API_TOKEN]",
      deep: [{ more: "[redacted: MY_API_TOKEN]!" }],
      count: 3,
    });
  });

  it("takes them out of a long text wherever the same one stands again", () => {
    const long = `${"a line\n".repeat(200)}tok-1234567890`;
    const clean = long.replace("tok-1234567890", "[redacted: MY_API_TOKEN]");
    const redact = redactor(env);
    expect(redact({ does: long, input: { content: long } })).toEqual({
      does: clean,
      input: { content: clean },
    });
    expect(redact([long, long])).toEqual([clean, clean]);
  });

  it("takes out an address with a password in it", () => {
    const address = "postgres://shop:pass-1234@db.internal/shop";
    expect(redactor({ DATABASE_URL: address })(`psql ${address}`)).toBe("psql [redacted: DATABASE_URL]");
  });

  it("leaves other variables and short values alone", () => {
    expect(redactor(env)("/usr/bin:/usr/local/bin abc")).toBe("/usr/bin:/usr/local/bin abc");
  });

  it("does not take the folder that a shell is in, or the place of credentials, for a secret", () => {
    const text = "in /home/ada/project, with /home/ada/key.json";
    const around = {
      PWD: "/home/ada/project",
      OLDPWD: "/home/ada",
      GOOGLE_APPLICATION_CREDENTIALS: "/home/ada/key.json",
    };
    expect(redactor(around)(text)).toBe(text);
  });

  it("takes a word for a password where a variable is set to it", () => {
    expect(redactor({})("export DB_PASSWORD=swordfish")).toBe("export DB_PASSWORD=[redacted]");
    expect(redactor({})("DB_PASSWORD=$1 password: required")).toBe("DB_PASSWORD=$1 password: required");
  });

  // Put together here, so that no scanner takes the test itself for a leak.
  it.each([
    ["an Anthropic key", `sk-ant-${"a".repeat(20)}`],
    ["a GitHub token", `ghp_${"a".repeat(36)}`],
    ["a GitLab token", `glpat-${"a".repeat(20)}`],
    ["an npm token", `npm_${"a".repeat(36)}`],
    ["a Slack token", `xoxb-${"1".repeat(12)}`],
    ["a JSON web token", `eyJ${"a".repeat(12)}.eyJ${"b".repeat(12)}.${"c".repeat(12)}`],
    ["a private key", `-----BEGIN RSA ${"PRIVATE"} KEY-----\nabc\n-----END RSA ${"PRIVATE"} KEY-----`],
  ])("knows %s by its shape", (_what, secret) => {
    expect(redactor({})(`before ${secret} after`)).toBe("before [redacted] after");
  });
});
