import type { OwnTool, OwnTools } from "../agents/agent.ts";
import type { Account } from "./account.ts";
import type { ToolAnswer } from "./tools.ts";

/** No fault of the session's: it was asked, and called off while it wrote. */
const TOO_LATE: ToolAnswer = {
  ok: true,
  text: "The handoff was called off meanwhile, so this was not stored. Wait for the next message.",
};

/** Where one session hands in its account, asks for a handoff of its own accord, and reports to whoever waits for its job. */
export class AccountInbox {
  readonly tools: OwnTools;
  readonly #reports: boolean;
  readonly #others: readonly OwnTool[];
  #account: Account | undefined;
  #onSubmit: (() => void) | undefined;
  #isCalledOff = false;
  #onRequest: ((reason: string) => ToolAnswer) | undefined;
  #onReport: ((status: string) => Promise<ToolAnswer>) | undefined;

  /** `reports`: an orchestrator waits for the job. `others`: what the session can call besides. */
  constructor({ reports = false, others = [] }: { reports?: boolean; others?: readonly OwnTool[] } = {}) {
    this.#reports = reports;
    this.#others = others;
    const own = ["submit_handoff", "request_handoff", ...(reports ? ["report_status"] : [])];
    const names = [...own, ...others.map(({ name }) => name)];
    this.tools = { names, load: () => this.#load() };
  }

  /** Opens the inbox: `onSubmit` is called when an account comes in. */
  expect(onSubmit: () => void): void {
    this.#account = undefined;
    this.#onSubmit = onSubmit;
    this.#isCalledOff = false;
  }

  /** Closes the inbox and gives out what came in. */
  collect(): Account | undefined {
    const account = this.#account;
    this.#account = undefined;
    this.#onSubmit = undefined;
    return account;
  }

  /** Closes it in the middle of what was asked for. */
  callOff(): void {
    this.collect();
    this.#isCalledOff = true;
  }

  onRequest(handle: (reason: string) => ToolAnswer): void {
    this.#onRequest = handle;
  }

  onReport(handle: (status: string) => Promise<ToolAnswer>): void {
    this.#onReport = handle;
  }

  async #load() {
    const { reportStatus, requestHandoff, submitHandoff } = await import("./tools.ts");
    return [
      submitHandoff((account) => this.#submitted(account)),
      requestHandoff(
        (reason) =>
          this.#onRequest?.(reason) ?? { ok: false, text: "No handoff can be made now. Continue the work." },
      ),
      ...(this.#reports ? [reportStatus((status) => this.#reported(status))] : []),
      ...this.#others,
    ];
  }

  async #reported(status: string): Promise<ToolAnswer> {
    return (await this.#onReport?.(status)) ?? { ok: false, text: "Nothing can be reported now. Try again." };
  }

  #submitted(account: Account): ToolAnswer {
    if (!this.#onSubmit && this.#isCalledOff) return TOO_LATE;
    if (!this.#onSubmit) return { ok: false, text: "Nobody has asked for a handoff. Continue the work." };
    this.#account = account;
    this.#onSubmit();
    return { ok: true, text: "Received. There is nothing more to do in this session." };
  }
}
