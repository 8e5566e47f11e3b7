import { expect, it } from "vitest";
import { framed } from "../../util/frame.ts";
import type { SimulatedRequest } from "../request.ts";
import { talk } from "./talk.ts";

it("answers what somebody wrote, and not what stands around it", () => {
  const { otherwise } = talk();
  const reply = (last: string, ...results: string[]) => {
    if (typeof otherwise !== "function") throw new Error("it answers all alike");
    const told = results.map((text) => ({ toolUseId: "", text, isError: false }));
    return otherwise({ text: last, last, tools: [], results: told } as unknown as SimulatedRequest);
  };
  const earlier = framed({ kind: "thread", source: "what was written before", text: "old", tag: "tag" });
  expect(reply(`<hint>x</hint>\nAda: hello\n\n${earlier}`)).toEqual({ say: "You wrote: “Ada: hello”" });
  expect(reply("make a note")).toMatchObject({ call: { tool: "Bash" } });
  expect(reply("noted", "noted")).toEqual({ say: "It is in `notes.txt`." });
  expect(reply("Ada: and now?", "noted")).toEqual({ say: "You wrote: “Ada: and now?”" });
});
