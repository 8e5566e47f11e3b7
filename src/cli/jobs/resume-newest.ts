import { jobToResume } from "../../app/jobs/which.ts";
import type { Project } from "../../app/project.ts";
import { folded, screenWidth } from "../../display/fold.ts";
import { print } from "../../display/print.ts";
import { oneLine } from "../../display/style.ts";
import { fitted } from "../../display/width.ts";
import { headline } from "../../display/words.ts";

const LONGEST_PROMPT = 60;

/** The id of the newest job that can be resumed: of a chat, or of another. Says which one that is. */
export async function newestToResume(
  project: Project,
  { attended, json = false }: { attended: boolean; json?: boolean | undefined },
): Promise<string> {
  const job = await jobToResume(project, { attended });
  const { id, status } = job;
  const what = `Resuming ${id}, which is ${status}: ${fitted(oneLine(headline(job)), LONGEST_PROMPT)}`;
  if (!json) print(folded(what, screenWidth(process.stdout), 2));
  return id;
}
