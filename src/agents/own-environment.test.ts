import { expect, it } from "vitest";
import { redactor } from "../secrets/redact.ts";
import { ownEnvironment } from "./own-environment.ts";

it("gives agents no token of the API, nor the marks of a session around them", () => {
  const env = ownEnvironment({
    PATH: "/bin",
    BATON_TOKEN: "baton_x",
    CLAUDECODE: "1",
    BATON_JOB_ID: "job-1",
  });
  expect(env).toEqual({ PATH: "/bin", BATON_JOB_ID: "job-1" });
});

it("knows a token of the API by its shape, wherever it stands", () => {
  const token = `baton_${"0a1b2c3d4e5f"}_${"Zx9".repeat(14)}q`;
  expect(redactor({})(`curl -H 'X: ${token}'`)).not.toContain(token.slice(10, 40));
});
