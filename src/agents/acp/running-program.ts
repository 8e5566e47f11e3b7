import { sessionMark } from "../../processes/marks.ts";
import type { SessionSpec } from "../agent.ts";
import { PrivateFiles } from "../claude/private-files.ts";
import { StartedProgram } from "../started-program.ts";
import type { Decision } from "./boundary/boundary.ts";
import { ownServer } from "./own-tools.ts";
import type { Command } from "./program.ts";
import type { Beside, Quirks } from "./quirks.ts";
import { type Asked, Rpc } from "./rpc.ts";

/** The program that a session runs on. */
export interface AcpProgram {
  /** As people know it. */
  name: string;
  command: Command;
  quirks: Quirks;
  /** It can be started without what came with a repository. */
  leavesOut: boolean;
}

interface Hears extends Asked {
  /** It waits before it asks its model again. */
  waits(): Promise<Decision>;
  /** False where the session was closed meanwhile. */
  isWanted(): boolean;
  ended(program: StartedProgram, error?: Error): void;
}

/** The program of a session as it runs, what it is asked over, and what of Baton runs beside it. */
export class RunningProgram {
  readonly started: StartedProgram;
  readonly rpc: Rpc;
  readonly beside: Beside;

  /** Undefined where it is not wanted any more. */
  static async start(
    spec: SessionSpec,
    program: AcpProgram,
    hears: Hears,
  ): Promise<RunningProgram | undefined> {
    const { ownTools, box, env } = spec;
    const files = new PrivateFiles(env, box?.folder);
    const beside: Beside = { ownServer: undefined, hold: undefined, files };
    try {
      if (ownTools.names.length > 0) beside.ownServer = await ownServer(ownTools);
      beside.hold = await program.quirks.holds?.(spec, () => hears.waits());
      for (const { port } of [beside.ownServer, beside.hold].filter((one) => one !== undefined))
        if (port !== undefined) await box?.reach(port);
      if (hears.isWanted()) return new RunningProgram(spec, program, beside, hears);
    } catch (error) {
      close(beside);
      throw error;
    }
    close(beside);
    return undefined;
  }

  private constructor(
    spec: SessionSpec,
    { command: [file, ...args], quirks }: AcpProgram,
    beside: Beside,
    hears: Hears,
  ) {
    const { sessionId, cwd, env, trace, box } = spec;
    const mark = sessionMark(sessionId);
    this.beside = beside;
    this.started = new StartedProgram(file, args, {
      cwd,
      env: { ...quirks.env?.(spec), ...env, ...beside.hold?.env, [mark.name]: mark.value },
      trace,
      launch: box?.launch,
      ended: () => close(beside),
    });
    this.rpc = new Rpc(this.started, hears);
    this.started.child.once("error", (error) => hears.ended(this.started, error));
    void this.started.silent.then(() => hears.ended(this.started));
  }
}

function close({ ownServer, hold, files }: Beside): void {
  files.remove();
  ownServer?.close();
  hold?.close();
}
