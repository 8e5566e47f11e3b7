import { configOf, type Project } from "../../app/project.ts";
import { waitingIn } from "../../app/trust/review.ts";
import { printWords } from "../../display/print.ts";
import { counted } from "../../util/figures.ts";

/** What stands in the configuration and is left out of a list, because nobody has agreed to it. */
export async function sayWithheld(project: Project): Promise<boolean> {
  const waiting = waitingIn(await configOf(project));
  if (waiting === 0) return false;
  printWords(
    `${counted(waiting, "thing")} in baton.yaml ${waiting === 1 ? "waits for your consent and does" : "wait for your consent and do"} nothing until then. Review with: baton trust`,
  );
  return true;
}
