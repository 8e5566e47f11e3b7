import { checkoutOf } from "../git/checkout.ts";
import { notTrusted, type UntrustedFile } from "../trust/agent-files.ts";
import { trustedOrNothing } from "../trust/record.ts";
import { newTag } from "../util/frame.ts";
import type { Agent } from "./agent.ts";
import { instructionsBeside } from "./instruction-files.ts";
import { quotedInstructions, usersInstructions } from "./instructions.ts";

/** What a program may do with what came with the repository that it is started in. */
export interface RepositoryAccess {
  reads: boolean;
  /** The files that nobody has agreed to as they stand, from the folder on: any of them leaves out all. */
  leftOut: readonly string[];
  /** For the system prompt: what the project tells agents in files that the program does not read by itself. */
  instructions: string;
}

/** To be asked right before every start: an earlier session may have written what the next one would run. */
export async function repositoryAccess(agent: Agent, folder: string): Promise<RepositoryAccess> {
  const [untrusted, beside] = await Promise.all([
    untrustedFilesOf(agent, folder),
    instructionsBeside(folder, agent.abilities.instructions),
  ]);
  if (untrusted.length === 0) {
    return { reads: true, leftOut: [], instructions: usersInstructions(beside, newTag()) };
  }
  const own = await agent.instructions(folder);
  const others = beside.filter(({ path }) => !own.some((each) => each.path === path));
  return {
    reads: false,
    leftOut: untrusted.map(({ path }) => path),
    instructions: quotedInstructions([...own, ...others], newTag()),
  };
}

/** The files on which the program would act in this folder, and to which the user has not agreed as they stand. */
export async function untrustedFilesOf(agent: Agent, folder: string): Promise<UntrustedFile[]> {
  const files = await agent.repositoryFiles(folder);
  if (files.length === 0) return [];
  return notTrusted(files, trustedOrNothing(), await checkoutOf(folder).catch(() => undefined));
}
