import { SCOPES, type Scope } from "../../app/access/principal.ts";
import { createToken, listTokens, revokeToken, type TokenView } from "../../app/access/tokens.ts";
import { findProject, type Project } from "../../app/project.ts";
import { UsageError } from "../../app/usage-error.ts";
import { shortPath } from "../../display/path.ts";
import { print, printJson, printWords } from "../../display/print.ts";
import { paintFor } from "../../display/style.ts";
import { type Column, table, tableWidth } from "../../display/table.ts";
import { shortDate } from "../../display/when.ts";
import { EXIT } from "../exit.ts";

export interface TokenOptions {
  config?: string;
  json?: boolean;
  scope?: Scope[];
  all?: boolean;
  hook?: string;
  expires?: number;
  maxJobs?: number;
  maxCost?: number;
}

export async function tokenCreate(name: string, options: TokenOptions): Promise<number> {
  if (!process.stdin.isTTY) {
    throw new UsageError("Tokens are made on a terminal, by a person. Run this in a terminal of your own.");
  }
  const { scope = ["view"], all = false, hook, expires, maxJobs, maxCost } = options;
  if (hook !== undefined) await refuseUnknownHook(findProject(options), hook, options);
  const { token, secret } = await createToken({
    name,
    scopes: hook === undefined ? SCOPES.filter((each) => scope.includes(each)) : [],
    projects: all ? null : [findProject(options).root],
    ...(hook !== undefined && { hook }),
    ...(expires !== undefined && { expiresAt: new Date(Date.now() + expires) }),
    ...(maxJobs !== undefined && { maxJobs }),
    ...(maxCost !== undefined && { maxCostUsd: maxCost }),
  });
  if (options.json) printJson({ ...token, token: secret });
  else {
    print(secret);
    printWords(
      `It may ${rightsOf(token)}, in ${placesOf(token)}. It is shown this once: keep it where agents cannot read it, such as a password manager. \`baton token revoke ${name}\` ends it.`,
    );
  }
  return EXIT.completed;
}

export function tokenList(options: TokenOptions): number {
  const tokens = listTokens(new Date());
  if (options.json) printJson(tokens);
  else if (tokens.length === 0) printWords("No tokens yet. Make one with: baton token create <name>");
  else print(table(tokens, columns(new Date()), tableWidth(process.stdout)).join("\n"));
  return EXIT.completed;
}

export async function tokenRevoke(named: string, options: TokenOptions): Promise<number> {
  const token = await revokeToken(named);
  if (options.json) printJson(token);
  else printWords(`${token.name} is revoked.`);
  return EXIT.completed;
}

function columns(now: Date): Column<TokenView>[] {
  const paint = paintFor(process.stdout, process.env);
  return [
    { title: "ID", text: ({ id }) => id },
    { title: "NAME", text: ({ name }) => name },
    { title: "KIND", text: ({ kind }) => kind, spare: 2 },
    { title: "MAY", text: rightsOf },
    {
      title: "STATE",
      text: ({ state }) => state,
      paint: ({ state }, text) => (state === "valid" ? text : paint("dim", text)),
    },
    { title: "USED", text: ({ usedAt }) => (usedAt === undefined ? "never" : shortDate(usedAt, now)) },
    {
      title: "UNTIL",
      text: ({ expiresAt }) => (expiresAt === undefined ? "revoked" : shortDate(expiresAt, now)),
      spare: 3,
    },
    { title: "PROJECTS", text: placesOf, spare: 1 },
  ];
}

function rightsOf({ scopes, hook }: TokenView): string {
  return hook === undefined ? scopes.join(", ") : `call ${hook}`;
}

async function refuseUnknownHook(
  project: Project,
  hook: string,
  { scope, all }: TokenOptions,
): Promise<void> {
  if (scope || all)
    throw new UsageError("With --hook, a token is for that schedule alone: leave --scope and --all out.");
  const { callable } = await import("../../app/served/calls.ts");
  const known = await callable(project);
  if (known.includes(hook)) return;
  const list =
    known.length === 0
      ? "There are none yet: add type: webhook to one, and agree to it with `baton trust`."
      : `These can: ${known.join(", ")}.`;
  throw new UsageError(`${hook} is no schedule that can be called. ${list}`);
}

function placesOf({ projects }: TokenView): string {
  return projects ? projects.map((root) => shortPath(root)).join(", ") : "all projects";
}
