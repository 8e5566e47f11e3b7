import { signInLink } from "../../app/access/sign-in.ts";
import { findProject } from "../../app/project.ts";
import { print, printJson, printWords } from "../../display/print.ts";
import { EXIT } from "../exit.ts";
import { openerOn, opens } from "../records/open.ts";

export interface DashboardOptions {
  config?: string;
  json?: boolean;
  print?: boolean;
}

/** Opens the dashboard of the fleet that runs this project, signed in. */
export async function dashboard(options: DashboardOptions): Promise<number> {
  const { json = false, print: isPrinted = false } = options;
  const program = json || isPrinted ? undefined : openerOn(process.platform, process.env);
  const signedIn = await signInLink(findProject(options), { isOpened: program !== undefined });
  if (json) {
    printJson(signedIn);
    return EXIT.completed;
  }
  const isOpened = program !== undefined && (await opens(program, signedIn.link));
  if (isOpened) printWords(`The dashboard opens: ${signedIn.url}`);
  else print(`Open this in a browser within two minutes. It works once:\n${signedIn.link}`);
  return EXIT.completed;
}
