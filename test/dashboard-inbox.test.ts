import { expect, it } from "vitest";
import { ASKS, asked, making, RUN } from "./asking.ts";
import { MANY_PAGES, violations, visit } from "./browser.ts";
import { Baton, ofType, testProject } from "./harness.ts";
import { needs } from "./needs.ts";
import { served } from "./web.ts";

const options = (...labels: string[]) => labels.map((label) => ({ label, description: `${label}, then` }));

const QUESTIONS = {
  tool: "AskUserQuestion",
  input: {
    questions: [
      {
        question: "What goes into the release?",
        header: "Release",
        multiSelect: true,
        options: options("Search", "Themes", "Import"),
      },
      { question: "When?", header: "When", multiSelect: false, options: options("Tonight", "Monday") },
    ],
  },
};

it(
  "answers the agent's questions by keyboard, several options of one, and tells the agent",
  MANY_PAGES,
  async () => {
    needs("browser");
    const project = await testProject({ scenario: making(QUESTIONS), agent: ASKS });
    const running = new Baton(project, RUN);
    await asked(running);
    const web = await served(project);
    const { page } = await visit(web);
    const row = page.getByRole("article", { name: /^coder asks: What goes into the release/ });
    await row.getByText("You can choose several.").waitFor();
    expect(await violations(page)).toEqual([]);
    // Two of the first, on to the second, one of that, and off.
    for (const key of ["3", "1", "Enter", "2", "Enter"]) await page.keyboard.press(key);
    await page.getByRole("status").getByText("Answered.").waitFor();
    expect(await running.exit).toMatchObject({ code: 0 });
    const [told] = ofType(running.events, "ask:answered").map(({ answer }) => answer);
    expect(told).toMatchObject({ answer: "said", texts: ["Search, Import", "Monday"] });
    await page.getByRole("heading", { name: "Nothing needs you" }).waitFor();
  },
);
