import { sessionMark } from "../../processes/marks.ts";
import type { SessionSpec } from "../agent.ts";
import { StartedProgram } from "../started-program.ts";
import { type OwnServer, ownServer } from "./own-tools.ts";
import type { Command } from "./program.ts";
import type { Quirks } from "./quirks.ts";
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
  /** False where the session was closed meanwhile. */
  isWanted(): boolean;
  ended(program: StartedProgram, error?: Error): void;
}

/** The program of a session as it runs, what it is asked over, and the server beside it that has Baton's own tools. */
export class RunningProgram {
  readonly started: StartedProgram;
  readonly rpc: Rpc;
  readonly ownServer: OwnServer | undefined;

  /** Undefined where it is not wanted any more. */
  static async start(
    spec: SessionSpec,
    program: AcpProgram,
    hears: Hears,
  ): Promise<RunningProgram | undefined> {
    const { ownTools, box } = spec;
    const own = ownTools.names.length > 0 ? await ownServer(ownTools) : undefined;
    try {
      if (own) await box?.reach(own.port);
      if (hears.isWanted()) return new RunningProgram(spec, program, own, hears);
    } catch (error) {
      own?.close();
      throw error;
    }
    own?.close();
    return undefined;
  }

  private constructor(
    spec: SessionSpec,
    { command: [file, ...args], quirks }: AcpProgram,
    own: OwnServer | undefined,
    hears: Hears,
  ) {
    const { sessionId, cwd, env, trace, box } = spec;
    const mark = sessionMark(sessionId);
    this.ownServer = own;
    this.started = new StartedProgram(file, args, {
      cwd,
      env: { ...quirks.env?.(spec), ...env, [mark.name]: mark.value },
      trace,
      launch: box?.launch,
      ended: () => own?.close(),
    });
    this.rpc = new Rpc(this.started, hears);
    this.started.child.once("error", (error) => hears.ended(this.started, error));
    void this.started.silent.then(() => hears.ended(this.started));
  }
}
