import { type Account, emptyAccount } from "../../handoff/account.ts";
import { beforeFrames } from "../../util/frame.ts";
import type { SimulatedRequest } from "../request.ts";
import type { Reply, Scenario } from "../scenario.ts";
import { DENIED, wasDenied } from "./denied.ts";
import { handOver, isHandoffRequest } from "./hand-over.ts";

const MOST_QUOTED = 200;
const LONG = Array.from({ length: 400 }, (_, index) => `Line ${index + 1} of a long answer.`).join("\n");

/** Answers whatever somebody writes, for as long as they write. */
export function talk(): Scenario {
  return {
    name: "talk",
    summary: "answers each message; “note” runs a command, “long” is answered at length",
    otherwise(request) {
      if (isHandoffRequest(request)) return handOver(request, ACCOUNT);
      if (wasDenied(request)) return DENIED;
      return answer(request);
    },
  };
}

function answer({ last, results }: SimulatedRequest): Reply {
  const noted = results.at(-1)?.text;
  if (noted !== undefined && last.includes(noted) && noted.includes("noted"))
    return { say: "It is in `notes.txt`." };
  const words = wordsIn(last);
  if (/\bnote\b/i.test(words))
    return {
      say: "I make a note.",
      call: {
        tool: "Bash",
        input: { command: `sh -c 'echo "A note" >> notes.txt' && echo noted`, description: "Make a note" },
      },
    };
  if (/\blong\b/i.test(words)) return { say: `\`\`\`\n${LONG}\n\`\`\`` };
  return { say: `You wrote: “${words}”` };
}

/** What a person wrote last, without what their program puts around it. */
function wordsIn(last: string): string {
  const bare = last.replace(/<([\w-]+)>[\s\S]*?<\/\1>/g, "").trim();
  // After a handoff, what somebody writes comes behind the document.
  const said = bare.startsWith("You take over") ? bare : beforeFrames(bare);
  return (said.split(/\n\s*\n/).at(-1) ?? "").trim().slice(0, MOST_QUOTED);
}

const ACCOUNT: Account = {
  ...emptyAccount(),
  goal: "Talk with whoever writes.",
  currentState: "Each message so far was answered.",
  nextSteps: ["Answer what is written next."],
};
