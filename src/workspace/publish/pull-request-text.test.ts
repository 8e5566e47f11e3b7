import { describe, expect, it } from "vitest";
import { pullRequestText } from "./pull-request-text.ts";

const of = (parts: Partial<Parameters<typeof pullRequestText>[0]>) =>
  pullRequestText({
    branch: "agent/coder/LIN-42",
    result: "Fixed the **login**.\n\nTwo files.",
    prompt: "Fix it, @team, and close #1.\n```\ncode\n```",
    job: "job-1",
    agent: "coder",
    ...parts,
  });

describe("a pull request", () => {
  it("closes no issue of a tracker but its own", () => {
    const item = { id: "17", title: "Login fails, fixes #3", source: "github:acme/app" };
    const { title, body } = of({ workItem: item, result: "Closes #4 too." });
    expect(title).toBe("17: Login fails, fixes `#3`");
    expect(body).toMatch(/^Closes `#4` too\.\n/);
    expect(of({ result: "Closes #4 too." }).body).toMatch(/^Closes #4 too\.\n/);
  });

  it("names what a merge closes because a commit of the agent says so", () => {
    const closing = Array.from({ length: 12 }, (_, index) => ({
      id: `abc${index}`,
      closes: ["#3", "ENG-4"],
    }));
    const { body } = of({ closing });
    expect(body).toContain("\n\nMerging this closes other issues too, ");
    expect(body).toContain("say: abc0 (`#3`, `ENG-4`), abc1 (");
    expect(body).toContain("abc9 (`#3`, `ENG-4`), and 2 more. If that is not meant, squash");
  });

  it("is called after its work item, or else after what was done", () => {
    expect(of({ workItem: { id: "LIN-42", title: "Fix auth bug" } }).title).toBe("LIN-42: Fix auth bug");
    expect(of({ workItem: { id: "LIN-42" } }).title).toBe("LIN-42: Fixed the login.");
    expect(of({}).title).toBe("Fixed the login.");
    expect(of({ result: " " }).title).toBe("Fix it, @team, and close #1.");
    expect(of({ result: "", prompt: "" }).title).toBe("agent/coder/LIN-42");
  });

  it("has a title of one line that is not too long", () => {
    const { title } = of({ workItem: { id: "-x\n", title: `${"word ".repeat(100)}\nsecond` } });
    expect(title).not.toContain("\n");
    expect(title.length).toBeLessThanOrEqual(200);
  });

  it("tells what was done, what was asked, and which job it was", () => {
    expect(of({}).body).toBe(
      "Fixed the **login**.\n\nTwo files.\n\n" +
        "<details><summary>What was asked</summary>\n\n````text\nFix it, @team, and close #1.\n```\ncode\n```\n````\n\n</details>\n\n" +
        "Job job-1 of coder, run by Baton.\n",
    );
    expect(of({ result: "", prompt: "" }).body).toBe("Job job-1 of coder, run by Baton.\n");
  });

  it("points to the item of a tracker in place of what was asked, which is there", () => {
    const url = "https://linear.app/acme/issue/LIN-42";
    expect(of({ workItem: { id: "LIN-42", url } }).body).toBe(
      `Fixed the **login**.\n\nTwo files.\n\nWork item: ${url}\n\nJob job-1 of coder, run by Baton.\n`,
    );
  });

  it("stays within what a forge takes, its end whole, also where code is cut in the middle", () => {
    const { body } = of({
      result: `\`\`\`ts\n${"const a = 1;\n".repeat(10_000)}`,
      prompt: "ü\n".repeat(50_000),
    });
    expect(body.length).toBeLessThanOrEqual(60_000);
    expect(body).toContain("const a = 1;\n…\n```\n\n<details>");
    expect(body.endsWith("</details>\n\nJob job-1 of coder, run by Baton.\n")).toBe(true);
  });
});
