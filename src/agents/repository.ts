import { checkoutOf } from "../git/checkout.ts";
import { notTrusted, type UntrustedFile } from "../trust/agent-files.ts";
import { trustedOrNothing } from "../trust/record.ts";
import { newTag } from "../util/frame.ts";
import type { Agent } from "./agent.ts";
import { quotedInstructions } from "./instructions.ts";

/** What a program may do with what came with the repository that it is started in. */
export interface RepositoryAccess {
  reads: boolean;
  /** The files that nobody has agreed to as they stand, from the folder on: any of them leaves out all. */
  leftOut: readonly string[];
  /** For the system prompt, in place of the instructions that the program does not read then. */
  quoted: string;
}

/** To be asked right before every start: an earlier session may have written what the next one would run. */
export async function repositoryAccess(agent: Agent, folder: string): Promise<RepositoryAccess> {
  const untrusted = await untrustedFilesOf(agent, folder);
  if (untrusted.length === 0) return { reads: true, leftOut: [], quoted: "" };
  const instructions = await agent.instructions(folder);
  return {
    reads: false,
    leftOut: untrusted.map(({ path }) => path),
    quoted: quotedInstructions(instructions, newTag()),
  };
}

/** The files on which the program would act in this folder, and to which the user has not agreed as they stand. */
export async function untrustedFilesOf(agent: Agent, folder: string): Promise<UntrustedFile[]> {
  const files = await agent.repositoryFiles(folder);
  if (files.length === 0) return [];
  return notTrusted(files, trustedOrNothing(), await checkoutOf(folder).catch(() => undefined));
}
