import { SCOPES, type Scope } from "../../app/access/principal.ts";
import { createToken, listTokens, revokeToken, type TokenView } from "../../app/access/tokens.ts";
import { findProject } from "../../app/project.ts";
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
  expires?: number;
  maxJobs?: number;
  maxCost?: number;
}

export async function tokenCreate(name: string, options: TokenOptions): Promise<number> {
  if (!process.stdin.isTTY) {
    throw new UsageError("Tokens are made on a terminal, by a person. Run this in a terminal of your own.");
  }
  const { scope = ["view"], all = false, expires, maxJobs, maxCost } = options;
  const { token, secret } = await createToken({
    name,
    scopes: SCOPES.filter((each) => scope.includes(each)),
    projects: all ? null : [findProject(options).root],
    ...(expires !== undefined && { expiresAt: new Date(Date.now() + expires) }),
    ...(maxJobs !== undefined && { maxJobs }),
    ...(maxCost !== undefined && { maxCostUsd: maxCost }),
  });
  if (options.json) printJson({ ...token, token: secret });
  else {
    print(secret);
    printWords(
      `It may ${token.scopes.join(", ")}, in ${placesOf(token)}. It is shown this once: keep it where agents cannot read it, such as a password manager. \`baton token revoke ${name}\` ends it.`,
    );
  }
  return EXIT.completed;
}

export function tokenList(options: TokenOptions): number {
  const tokens = listTokens(new Date());
  if (options.json) printJson(tokens);
  else if (tokens.length === 0) print("No tokens yet. Make one with: baton token create <name>");
  else print(table(tokens, columns(new Date()), tableWidth(process.stdout)).join("\n"));
  return EXIT.completed;
}

export async function tokenRevoke(named: string, options: TokenOptions): Promise<number> {
  const token = await revokeToken(named);
  if (options.json) printJson(token);
  else print(`${token.name} holds no more.`);
  return EXIT.completed;
}

function columns(now: Date): Column<TokenView>[] {
  const paint = paintFor(process.stdout, process.env);
  return [
    { title: "ID", text: ({ id }) => id },
    { title: "NAME", text: ({ name }) => name },
    { title: "KIND", text: ({ kind }) => kind, spare: 2 },
    { title: "MAY", text: ({ scopes }) => scopes.join(", ") },
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

function placesOf({ projects }: TokenView): string {
  return projects ? projects.map((root) => shortPath(root)).join(", ") : "all projects";
}
