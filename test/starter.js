import { execFile } from "node:child_process";

/** Starts programs for a test process, which is much larger: to copy its page tables takes longer than most of them. */
const running = new Map();

process.on("message", ({ id, file, args, options, input, kill }) => {
  if (kill) {
    const child = running.get(id);
    child?.kill(kill);
    // What it started may hold its output open.
    if (kill === "SIGKILL") for (const stream of [child?.stdout, child?.stderr]) stream?.destroy();
    return;
  }
  const child = execFile(file, args, options, (error, stdout, stderr) => {
    running.delete(id);
    if (!process.connected) return;
    const problem = error && {
      message: error.message,
      code: error.code,
      killed: error.killed,
      signal: error.signal,
    };
    process.send({ id, problem, stdout, stderr });
  });
  running.set(id, child);
  // Git may end without reading it all.
  child.stdin.on("error", () => {});
  if (input !== undefined) child.stdin.end(input);
});
process.on("disconnect", () => process.exit());
