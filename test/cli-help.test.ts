import { tmpdir } from "node:os";
import { expect, it } from "vitest";
import { baton } from "./harness.ts";

const anywhere = { folder: tmpdir(), env: { PATH: process.env.PATH ?? "" } };

it("lists the commands when it is told nothing", async () => {
  const { code, stdout, stderr } = await baton(anywhere, []);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain("Usage: baton");
  expect(stdout).toContain("3 paused, 130 cancelled");
});

it.each(
  "demo init run chat resume cancel continue handoff handoffs jobs show logs doctor simulate".split(" "),
)("says what %s does and that it can print JSON", async (command) => {
  const { code, stdout } = await baton(anywhere, ["help", command]);
  expect(code).toBe(0);
  const [usage, , description] = stdout.split("\n");
  expect(usage).toMatch(new RegExp(`^Usage: baton ${command}\\b`));
  expect(description).toMatch(/^\w.{10,}/);
  expect(stdout).toContain("--json");
  expect((await baton(anywhere, [command, "--help"])).stdout).toBe(stdout);
});
