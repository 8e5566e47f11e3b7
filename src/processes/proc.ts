// Imported by name, files bring their promises along, which takes a hook longer than all it does.
const fs = process.getBuiltinModule("node:fs");

/** Where there is /proc. All but `processNumbers` and `openFilesOf` throw for what is gone, or another user's. */
export const onLinux = process.platform === "linux";

type Which = number | string;

export function processNumbers(): string[] {
  return fs.readdirSync("/proc").filter((name) => /^\d+$/.test(name));
}

/** What /proc holds is in memory, so that asking for it one by one takes less time than asking for all at once. */
export function procFile(pid: Which, name: string): string {
  return fs.readFileSync(`/proc/${pid}/${name}`, "utf8");
}

/**
 * For what a process can keep from being read for a moment: its environment. Opened and read once and no more, because to
 * look at every process of a machine is most of what the end of a session costs.
 */
export function procFileLater(pid: Which, name: string): Promise<string> {
  return new Promise((resolve, reject) => {
    fs.open(`/proc/${pid}/${name}`, "r", (problem, file) => {
      if (problem) reject(problem);
      else readWhole(file, resolve, reject);
    });
  });
}

/** More than most hold, and so the end is reached with the first piece. */
const PIECE_BYTES = 16 * 1024;

function readWhole(file: number, resolve: (text: string) => void, reject: (problem: Error) => void): void {
  let text = "";
  const next = () => {
    const piece = Buffer.allocUnsafe(PIECE_BYTES);
    fs.read(file, piece, 0, PIECE_BYTES, null, (problem, bytes) => {
      text += piece.toString("latin1", 0, bytes);
      if (!problem && bytes === PIECE_BYTES) return next();
      fs.closeSync(file);
      if (problem) reject(problem);
      else resolve(text);
    });
  };
  next();
}

export function procLink(pid: Which, name: string): string {
  return fs.readlinkSync(`/proc/${pid}/${name}`);
}

/** Of the machine's last start. */
export function bootId(): string {
  return procFile("sys", "kernel/random/boot_id").trim();
}

interface ProcStat {
  state: string;
  parent: number;
  group: number;
  /** The group that has the terminal. */
  foreground: number;
  /** The processor time that it has taken itself. */
  ticks: number;
  /** In ticks since the machine started. */
  startTime: string;
}

export function statOf(pid: Which): ProcStat {
  const stat = procFile(pid, "stat");
  // The second field is the program's name in brackets, and may hold blanks and brackets itself.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return {
    state: fields[0] ?? "",
    parent: Number(fields[1]),
    group: Number(fields[2]),
    foreground: Number(fields[5]),
    ticks: Number(fields[11]) + Number(fields[12]),
    startTime: fields[19] ?? "",
  };
}

export function openFilesOf(pid: Which): string[] {
  try {
    return fs.readdirSync(`/proc/${pid}/fd`).flatMap((descriptor) => {
      try {
        return procLink(pid, `fd/${descriptor}`);
      } catch {
        return [];
      }
    });
  } catch {
    return [];
  }
}
