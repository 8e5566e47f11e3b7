import { createReadStream } from "node:fs";
import { resolve } from "node:path";
import { unknownAgent } from "../../app/config/unknown-agent.ts";
import { UsageError } from "../../app/usage-error.ts";
import type { Config } from "../../config/config.ts";
import { messageOf } from "../../util/errors.ts";

interface WhatToRun {
  agent?: string;
  prompt: string;
}

/** Which agent is to do what, as `baton run` was told: a name and a prompt, or either alone. */
export async function whatToRun(
  words: string[],
  promptFile: string | undefined,
  config: Config,
): Promise<WhatToRun> {
  const { agent, word } = taken(words, config);
  if (word !== undefined && promptFile !== undefined) {
    if (agent === undefined && isName(word)) throw unknownAgent(word, config);
    throw new UsageError("Give the prompt only once: as an argument, or with --prompt-file.");
  }
  const prompt = promptFile === undefined ? await fromWord(word) : await fromFile(promptFile);
  if (prompt.trim() === "") throw new UsageError("The prompt is empty. Say what to do.");
  return agent === undefined ? { prompt } : { agent, prompt };
}

function taken(words: string[], config: Config): { agent?: string; word?: string } {
  const [first, second] = words;
  if (first === undefined) return {};
  const names = config.agents.map(({ name }) => name);
  if (words.length > 2) {
    const [agent, prompt] = names.includes(first) ? [`${first} `, words.slice(1)] : ["", words];
    throw new UsageError(`Too many words. Put the prompt in quotes: baton run ${agent}"${prompt.join(" ")}"`);
  }
  if (second !== undefined) return { agent: first, word: second };
  if (names.includes(first)) return { agent: first };
  // A job that has an agent's misspelt name for a prompt would cost money for nothing.
  const unknown = isName(first) ? unknownAgent(first, config) : undefined;
  if (unknown?.nearest !== undefined) throw unknown;
  return { word: first };
}

function isName(word: string): boolean {
  return /^[\w.-]+$/.test(word) && word !== "-";
}

async function fromWord(word: string | undefined): Promise<string> {
  if (word === undefined && process.stdin.isTTY) {
    throw new UsageError('What is the task? Put it in quotes: baton run "Fix the failing tests"');
  }
  return textOn(word);
}

/** What was typed, or where that is nothing or `-`, what comes on standard input. */
export async function textOn(word: string | undefined): Promise<string> {
  if (word !== undefined && word !== "-") return word;
  return readAll(process.stdin, "Standard input");
}

async function fromFile(path: string): Promise<string> {
  try {
    return await readAll(createReadStream(resolve(path)), `The prompt file ${path}`);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const why = messageOf(error);
    throw new UsageError(`The prompt file ${path} cannot be read: ${why}`);
  }
}

/** More than the largest window takes. */
const MOST_BYTES = 8 * 1024 * 1024;

/** A pipe is fine here: the user names it, as in `--prompt-file <(…)`. */
async function readAll(stream: AsyncIterable<Buffer>, name: string): Promise<string> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of stream) {
    length += piece.length;
    if (length > MOST_BYTES) throw new UsageError(`${name} is larger than 8 MB, the limit for a prompt.`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}
