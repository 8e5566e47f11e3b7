import type { GitHubSourceConfig } from "../../config/work-source.ts";
import { readBoundedText } from "../../files/bounded-file.ts";
import { messageOf } from "../../util/errors.ts";
import { SourceError } from "../source.ts";
import { type GitHubAuth, GitHubSource, type Pace } from "./github.ts";

const KEY_LIMIT = 64 * 1024;

/** The source that a configuration names, with the secrets that its variables or its file hold now. */
export function openGitHub(
  config: Pick<GitHubSourceConfig, "repo" | "apiUrl" | "labels" | "auth">,
  env: Readonly<Record<string, string | undefined>>,
  pace: Pace = {},
): GitHubSource {
  const { repo, apiUrl, labels } = config;
  return new GitHubSource({ ...pace, repo, apiUrl, labels, auth: authOf(config.auth, env) });
}

function authOf(
  auth: GitHubSourceConfig["auth"],
  env: Readonly<Record<string, string | undefined>>,
): GitHubAuth {
  if (auth.kind === "token") return { token: env[auth.env], from: auth.env };
  const { id, installation, privateKey } = auth;
  if ("env" in privateKey) {
    return { app: { id, installation, privateKey: env[privateKey.env] ?? "", from: privateKey.env } };
  }
  return { app: { id, installation, privateKey: keyIn(privateKey.file), from: privateKey.file } };
}

function keyIn(file: string): string {
  try {
    return readBoundedText(file, KEY_LIMIT);
  } catch (error) {
    throw new SourceError("no-access", `The private key of the App cannot be read: ${messageOf(error)}`);
  }
}
