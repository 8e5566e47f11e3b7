import type { Config } from "../../config/config.ts";
import { type WantedRule, withRule } from "../../config/yaml/add-rule.ts";
import { readBoundedText } from "../../files/bounded-file.ts";
import { replaceFile } from "../../files/replace.ts";
import { agentNow } from "../../job/job.ts";
import { configOf, openStoreOfJobs, type Project } from "../project.ts";
import { refuseInsideAgent } from "../trust/person.ts";
import { agreeToOwn, waitingIn } from "../trust/review.ts";
import { UsageError } from "../usage-error.ts";
import { deniedRules } from "./facts.ts";
import { openAsk } from "./open-ask.ts";

/** What would make an answer hold from now on. */
export interface Always {
  agent: string;
  rule: string;
  file: string;
  /** As it would read, and at which number. Missing where Baton cannot write it: it is for the user to put in. */
  at?: { line: string; number: number };
  /** Writes it. */
  add?: () => Promise<void>;
}

const MOST_BYTES = 1024 * 1024;

/** The line of the configuration by which such calls are allowed, or denied, from now on. */
export async function alwaysFor(project: Project, id: string, key: WantedRule["key"]): Promise<Always> {
  await refuseInsideAgent("answer what an agent asks");
  return alwaysLine(project, id, key);
}

/** The same to look at. */
export async function alwaysLine(project: Project, id: string, key: WantedRule["key"]): Promise<Always> {
  await using store = await openStoreOfJobs(project);
  const { job, ask } = await openAsk(store, id);
  const { rule } = ask;
  const agent = agentNow(job);
  if (ask.questions) throw new UsageError(`${id} is a question, and an answer to it holds once.`);
  if (rule === undefined) {
    throw new UsageError(
      `The program of ${agent} knows no rules for single tools, so no line of baton.yaml could allow this from now on. Answer this one: baton approve ${id}`,
    );
  }
  const at = job.configPath === null ? project : { ...project, configPath: job.configPath };
  return ruleIn(await configOf(at), { agent, rule, key });
}

/** The same for what an agent was denied again and again, by its row of the inbox. Undefined where the id is of none. */
export async function alwaysForDenied(project: Project, id: string): Promise<Always | undefined> {
  if (!id.includes(":")) return undefined;
  await refuseInsideAgent("allow what an agent was denied");
  await using store = await openStoreOfJobs(project);
  const config = await configOf(project);
  const denied = await deniedRules(config, store, new Date());
  const found = denied.find(({ agent, rule }) => `${agent}:${rule}` === id);
  return found && ruleIn(config, { ...found, key: "allowed_tools" });
}

function ruleIn(config: Config, { agent, rule, key }: Omit<WantedRule, "inherited">): Always {
  const configured = config.agents.find(({ name }) => name === agent);
  const file = config.path ?? "baton.yaml";
  if (!configured || config.path === undefined) return { agent, rule, file };
  const inherited = key === "allowed_tools" ? configured.allowedTools : configured.deniedTools;
  const wanted = { agent, key, rule, inherited };
  const changed = withRule(readBoundedText(file, MOST_BYTES), wanted);
  if (!changed) return { agent, rule, file };
  const isTrusted = waitingIn(config) === 0;
  return {
    ...{ agent, rule, file, at: { line: changed.line, number: changed.number } },
    async add() {
      // It may have been changed while the person read.
      const now = withRule(readBoundedText(file, MOST_BYTES), wanted);
      if (!now) throw new UsageError(`${file} has changed meanwhile. Add to ${key} of ${agent}: ${rule}`);
      await replaceFile(file, now.text);
      // They agree to this line. What waited for their yes before waits still.
      if (isTrusted) await agreeToOwn(file);
    },
  };
}
