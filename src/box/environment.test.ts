import { expect, it } from "vitest";
import { environmentInside } from "./environment.ts";

it("takes inside what was set for the program, and nothing that only happens to be there", () => {
  const outside = { PATH: "/bin", AWS_SECRET: "hush", LANG: "C", NAMED: "1", KEY: "sk-real" };
  const env = { ...outside, BATON_JOB_ID: "job-1", CI: "1", KEY: "sk-real" };
  expect(environmentInside({ env, outside, named: ["NAMED", "KEY"], withheld: ["KEY"] })).toEqual({
    LANG: "C",
    NAMED: "1",
    BATON_JOB_ID: "job-1",
    CI: "1",
  });
});
