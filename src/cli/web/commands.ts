import { type Command, InvalidArgumentError } from "commander";
import type { Scope } from "../../app/access/principal.ts";
import { durationIn } from "../../app/records/narrowed.ts";
import { command, examples, wholeNumber } from "../command.ts";
import { note } from "../help.ts";

export function addWeb(baton: Command): void {
  const dashboard = command(baton, "dashboard", "open the dashboard of the fleet in a browser, signed in")
    .option("--print", "print the link, and open nothing")
    .action(async function (this: Command) {
      const { dashboard } = await import("./dashboard.ts");
      process.exitCode = await dashboard(this.optsWithGlobals());
    });
  examples(
    dashboard,
    `  $ baton dashboard            while baton start runs
  $ baton dashboard --print    a link for another browser; it works once, for two minutes`,
  );
  addToken(baton);
  const audit = command(
    baton,
    "audit",
    "list who did what: by command, over the API, by schedules and agents",
  )
    .option("-n, --limit <count>", "how many, the newest", wholeNumber(1, 100_000), 50)
    .option("--who <name>", "only what they did, such as token:ci")
    .option("--what <deeds>", "only this, such as cancel; several, separated by commas")
    .option("--all", "all projects, and what belongs to none of them")
    .action(async function (this: Command) {
      const { audit } = await import("./audit.ts");
      process.exitCode = audit(this.optsWithGlobals());
    });
  examples(
    audit,
    `  $ baton audit                   of this project, the newest first
  $ baton audit --all --json      of all, one object to a line
  $ baton audit --who token:ci    what one token did
  $ baton audit --what halt,haltFleet --all
                                  who stopped all work, here and over the API`,
  );
}

function addToken(baton: Command): void {
  const token = command(baton, "token", "create, list and revoke tokens for the API");
  examples(
    token,
    `  $ baton token create ci --scope start --expires 30d
  $ baton token list
  $ baton token revoke ci`,
  );
  const create = command(
    token,
    "create <name>",
    "create a token; it is shown once, and Baton keeps only a hash",
  )
    .option("--scope <scopes>", "what it may do: view, start, answer, admin, separated by commas", scopes)
    .option("--all", "for all projects of this user, not only this one")
    .option("--hook <agent/schedule>", "it may only call this schedule of type webhook")
    .option("--expires <time>", "how long it is valid: 12h, 30d (default: until it is revoked)", lasting)
    .option("--max-jobs <count>", "how many jobs it may start in a day", wholeNumber(1, 1_000_000))
    .option("--max-cost <usd>", "what the jobs that it starts in a day may cost", dollars)
    .action(async function (this: Command, name: string) {
      const { tokenCreate } = await import("./token.ts");
      process.exitCode = await tokenCreate(name, this.optsWithGlobals());
    });
  examples(
    create,
    `  $ baton token create phone                                    may look at this project
  $ baton token create ci --scope start --max-jobs 20           may start jobs, and send them messages
  $ baton token create me --scope answer --all --expires 30d    may answer agents, in all projects
  $ baton token create deploys --hook coder/deploy              starts the jobs of one schedule
  $ baton token create ops --scope admin                        may do all of it`,
  );
  note(
    create,
    "Only a person can create a token, in a terminal: an agent with a token could answer its own questions. Even if it finds one, answers from its processes are refused.",
  );
  const list = command(token, "list", "list the tokens, and the browsers that are signed in").action(
    async function (this: Command) {
      const { tokenList } = await import("./token.ts");
      process.exitCode = tokenList(this.optsWithGlobals());
    },
  );
  examples(list, "  $ baton token list --json");
  const revoke = command(
    token,
    "revoke <token>",
    "end a token or a browser's session, by its name or id",
  ).action(async function (this: Command, named: string) {
    const { tokenRevoke } = await import("./token.ts");
    process.exitCode = await tokenRevoke(named, this.optsWithGlobals());
  });
  examples(revoke, "  $ baton token revoke ci    its streams end within a second");
}

const KNOWN: readonly Scope[] = ["view", "start", "answer", "admin"];

function scopes(text: string): Scope[] {
  return text.split(",").map((word) => {
    const known = KNOWN.find((scope) => scope === word.trim());
    if (known) return known;
    throw new InvalidArgumentError(`${word.trim()} is none of ${KNOWN.join(", ")}.`);
  });
}

function lasting(text: string): number {
  const ms = durationIn(text);
  if (ms !== undefined && ms > 0) return ms;
  throw new InvalidArgumentError("It must be a time, such as 12h or 30d.");
}

function dollars(text: string): number {
  const usd = Number(text);
  if (usd > 0 && Number.isFinite(usd)) return usd;
  throw new InvalidArgumentError("It must be a number of dollars above 0.");
}
