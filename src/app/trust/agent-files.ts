import { agentFor } from "../../agents/registry.ts";
import { untrustedFilesOf } from "../../agents/repository.ts";
import type { Config } from "../../config/config.ts";
import { placeOfFile } from "../../files/place-of-file.ts";
import { agreedTo, type UntrustedFile } from "../../trust/agent-files.ts";
import { recordTrust } from "../../trust/record.ts";

/**
 * The files that the programs of a project's agents would act on, and that the user has not agreed to as they stand: what
 * was agreed to before, if anything, and what there is now. Each once, although several agents may work in one folder.
 */
export async function untrustedAgentFiles(config: Pick<Config, "agents">): Promise<UntrustedFile[]> {
  const found = new Map<string, UntrustedFile>();
  for (const agent of config.agents) {
    const files = await untrustedFilesOf(await agentFor(agent), agent.workingDirectory);
    for (const file of files) found.set(file.place, file);
  }
  return [...found.values()];
}

/** From now on the programs may act on these files as they were shown. */
export async function trustAgentFiles(files: readonly UntrustedFile[]): Promise<void> {
  await recordTrust(agreedTo(files));
}

/**
 * What Baton itself writes for the user into a file of the program's in a project is the user's: as long as nothing else was in
 * it that they have not agreed to.
 */
export async function trustOwnChange<T>(root: string, file: string, change: () => Promise<T>): Promise<T> {
  const agent = await agentFor({ runtime: "claude" });
  const untrusted = async () => {
    const files = await untrustedFilesOf(agent, root);
    return files.filter(({ place }) => place === placeOfFile(file));
  };
  const before = await untrusted();
  const result = await change();
  if (before.length === 0) await trustAgentFiles(await untrusted());
  return result;
}
