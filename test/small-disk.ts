import { execFileSync } from "node:child_process";
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A file system of its own that a test can fill. It is gone after the test in all cases. */
export interface SmallDisk {
  fill(): void;
  free(): void;
  readOnly(is: boolean): void;
}

/** Mounts one at a folder, which is made, or keeps what it holds. */
export function smallDisk(folder: string, size = "4m"): SmallDisk {
  mkdirSync(folder, { recursive: true });
  const aside = `${folder}.aside`;
  execFileSync("cp", ["-a", folder, aside]);
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${size},mode=700`, "tmpfs", folder]);
  // Also where something still has a file of it open.
  onTestFinished(() => void execFileSync("umount", ["--lazy", folder]));
  execFileSync("cp", ["-a", `${aside}/.`, folder]);
  rmSync(aside, { recursive: true });
  const ballast = join(folder, "ballast");
  return {
    fill() {
      const file = openSync(ballast, "w");
      const block = Buffer.alloc(4096);
      try {
        for (;;) writeSync(file, block);
      } catch {
        // Full.
      } finally {
        closeSync(file);
      }
    },
    free: () => rmSync(ballast, { force: true }),
    readOnly: (is) => execFileSync("mount", ["-o", `remount,${is ? "ro" : "rw"}`, folder]),
  };
}
