import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { afterEach, describe, expect, it } from "vitest";
import { liveness, type ProcessIdentity, thisProcess } from "./owner.ts";

const children: ChildProcess[] = [];

afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

async function startProcess() {
  const owner = new URL("./owner.ts", import.meta.url).href;
  const script = `import { thisProcess } from ${JSON.stringify(owner)};
    console.log(JSON.stringify(thisProcess()));
    process.stdin.resume();`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  children.push(child);
  const [line] = await once(child.stdout, "data");
  const identity: ProcessIdentity = JSON.parse(String(line));
  return { child, identity };
}

describe("the owner of a job", () => {
  it("is alive while its process runs, and dead once it was killed", async () => {
    const { child, identity } = await startProcess();
    expect(liveness(identity)).toBe("alive");
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(liveness(identity)).toBe("dead");
  });

  it("is dead when another process has its number now", () => {
    expect(liveness({ ...thisProcess(), startTime: "1" })).toBe("dead");
  });

  it("is dead when the machine was started again since", () => {
    expect(liveness({ ...thisProcess(), boot: "an earlier boot" })).toBe("dead");
  });

  it("is unknown, not dead, on another machine, in another container, or without a start time", () => {
    expect(liveness({ ...thisProcess(), host: "elsewhere" })).toBe("unknown");
    expect(liveness({ ...thisProcess(), pidNamespace: "pid:[1]" })).toBe("unknown");
    expect(liveness({ ...thisProcess(), startTime: "" })).toBe("unknown");
  });
});
