import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { needs } from "../../../test/needs.ts";
import { LOOK } from "./steady.ts";

it.for(["sh", "zsh"] as const)("looks for finished steps in %s, where there are none as well", (shell) => {
  if (shell === "zsh") needs("zsh");
  const cwd = mkdtempSync(join(tmpdir(), "baton-look-"));
  onTestFinished(() => rmSync(cwd, { recursive: true }));
  const look = () => execFileSync(shell, ["-c", LOOK], { cwd, encoding: "utf8" });
  expect(look()).toBe("looked\n");
  writeFileSync(join(cwd, "step-2.txt"), "");
  expect(look()).toBe("done:2\nlooked\n");
});
