import type { OwnTools } from "../agents/agent.ts";
import type { Account } from "./account.ts";
import type { ToolAnswer } from "./tools.ts";

/** No fault of the session's: it was asked, and called off while it wrote. */
const TOO_LATE: ToolAnswer = {
  ok: true,
  text: "The handoff was called off meanwhile, so this was not stored. Wait for the next message.",
};

/** Where one session hands in its account, and asks for a handoff of its own accord. */
export class AccountInbox {
  readonly tools: OwnTools = { names: ["submit_handoff", "request_handoff"], load: () => this.#load() };
  #account: Account | undefined;
  #onSubmit: (() => void) | undefined;
  #isCalledOff = false;
  #onRequest: ((reason: string) => ToolAnswer) | undefined;

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

  async #load() {
    const { requestHandoff, submitHandoff } = await import("./tools.ts");
    return [
      submitHandoff((account) => this.#submitted(account)),
      requestHandoff(
        (reason) =>
          this.#onRequest?.(reason) ?? { ok: false, text: "No handoff can be made now. Continue the work." },
      ),
    ];
  }

  #submitted(account: Account): ToolAnswer {
    if (!this.#onSubmit && this.#isCalledOff) return TOO_LATE;
    if (!this.#onSubmit) return { ok: false, text: "Nobody has asked for a handoff. Continue the work." };
    this.#account = account;
    this.#onSubmit();
    return { ok: true, text: "Received. There is nothing more to do in this session." };
  }
}
