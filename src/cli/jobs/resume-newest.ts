import { jobToResume } from "../../app/jobs/which.ts";
import type { Project } from "../../app/project.ts";
import { folded, screenWidth } from "../../display/fold.ts";
import { print } from "../../display/print.ts";
import { oneLine } from "../../display/style.ts";
import { fitted } from "../../display/width.ts";

const LONGEST_PROMPT = 60;

/** The id of the newest job that can be resumed: of a chat, or of another. Says which one that is. */
export async function newestToResume(
  project: Project,
  { attended, json = false }: { attended: boolean; json?: boolean | undefined },
): Promise<string> {
  const { id, status, prompt } = await jobToResume(project, { attended });
  const what = `Resuming ${id}, which is ${status}: ${fitted(oneLine(prompt), LONGEST_PROMPT)}`;
  if (!json) print(folded(what, screenWidth(process.stdout), 2));
  return id;
}
