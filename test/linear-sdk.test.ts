import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { buildSchema, isInputObjectType, isObjectType } from "graphql";
import { expect, it, onTestFinished } from "vitest";
import { openLinear } from "../src/sources/linear/open.ts";
import { SCHEMA } from "./linear/schema.ts";
import { startLinear } from "./linear-server.ts";
import { needs, PROGRAMS } from "./needs.ts";

interface Client {
  client: { rawRequest(query: string, variables?: object): Promise<{ data: Record<string, unknown> }> };
}

const { signal } = new AbortController();

/** The types of Linear's schema, as its SDK is generated from it. */
function published(): (name: string) => Map<string, string> {
  const dist = dirname(createRequire(join(PROGRAMS, "linear")).resolve("@linear/sdk"));
  const texts = readdirSync(dist)
    .filter((name) => name.endsWith(".d.mts"))
    .map((name) => readFileSync(join(dist, name), "utf8"));
  const text = texts.find((each) => each.includes("\ntype IssueUpdateInput = {")) ?? "";
  return (name) => {
    const [, body = ""] =
      new RegExp(`^type ${name} = (?:[\\w &]+& )?\\{\\n([\\s\\S]*?)\\n\\};`, "mi").exec(text) ?? [];
    const fields = body.matchAll(/^ {2}(\w+)\??: (.+);$/gm);
    return new Map([...fields].map(([, field = "", type = ""]) => [field, inGraphQL(type)]));
  };
}

/** `Maybe<Array<Scalars["ID"]>>` as `[ID!]`. The SDK writes some names in other letters. */
function inGraphQL(type: string): string {
  const [, maybe] = /^(?:Input)?Maybe<(.*)>$/.exec(type) ?? [];
  if (maybe !== undefined) return inGraphQL(maybe).replace(/!$/, "");
  const [, each] = /^Array<(.*)>$/.exec(type) ?? [];
  if (each !== undefined) return `[${inGraphQL(each)}]!`;
  return `${/^Scalars\["(\w+)"\]$/.exec(type)?.[1] ?? type}!`.toLowerCase();
}

it("has a part of the schema that Linear publishes, by its names and types", () => {
  needs("linear-sdk");
  const theirs = published();
  const differences: string[] = [];
  const compare = (what: string, our: unknown, their: string | undefined) => {
    if (String(our).toLowerCase() !== their) differences.push(`${what}: ${our} here, ${their} there`);
  };
  const types = Object.values(buildSchema(SCHEMA).getTypeMap());
  const shapes = types.filter((type) => isObjectType(type) || isInputObjectType(type));
  for (const type of shapes.filter(({ name }) => !name.startsWith("__"))) {
    const fields = theirs(type.name);
    for (const field of Object.values(type.getFields())) {
      compare(`${type.name}.${field.name}`, field.type, fields.get(field.name));
      const given = "args" in field ? field.args : [];
      for (const { name, type: ours } of given)
        compare(
          `${type.name}.${field.name}(${name})`,
          ours,
          theirs(`${type.name}${field.name}Args`).get(name),
        );
    }
  }
  expect(differences).toEqual([]);
  expect(shapes.length).toBeGreaterThan(40);
});

it("is the same Linear to Linear's own client and to ours", async () => {
  needs("linear-sdk");
  const linear = await startLinear({ limit: 100 });
  onTestFinished(() => linear.close());
  const { workspace } = linear;
  const robot = workspace.user("robot");
  const alice = workspace.user("alice");
  const team = workspace.team("ENG");
  const ready = workspace.label("ready");
  const key = linear.key(robot);
  const { LinearClient, LinearErrorType } = await import(
    pathToFileURL(createRequire(join(PROGRAMS, "linear")).resolve("@linear/sdk")).href
  );
  const theirs: Client = new LinearClient({ apiKey: key, apiUrl: linear.url });
  const asked = async (query: string, variables?: object) =>
    (await theirs.client.rawRequest(query, variables)).data;
  const ours = openLinear(
    {
      ...{ team: "ENG", states: {}, apiUrl: linear.url },
      labels: { ready: "ready", inProgress: "working", failed: "failed" },
      auth: { kind: "token", env: "KEY" },
    },
    { KEY: key },
  );
  const issue = workspace.issue(team, "Both see it", { by: alice });
  workspace.update(issue, alice, { addedLabelIds: [ready.id] });
  const { issues } = await asked(
    'query { issues(filter: { team: { key: { eq: "ENG" } }, labels: { some: { name: { eq: "ready" } } } }) { nodes { id identifier state { name } } } }',
  );
  const poll = await ours.poll(signal);
  const [item] = poll.kind === "items" ? poll.items : [];
  if (!item) throw new Error("nothing is listed");
  expect(issues).toEqual({ nodes: [{ id: item.nodeId, identifier: item.id, state: { name: "Todo" } }] });
  await ours.markTaken(item, signal);
  await ours.report(item, { marker: "m", text: "By ours" }, signal);
  const seen = await asked(
    'query { issue(id: "ENG-1") { state { name } labels { nodes { name } } comments { nodes { body user { isMe } } } } }',
  );
  expect(seen.issue).toEqual({
    ...{ state: { name: "In Progress" }, labels: { nodes: [{ name: "working" }] } },
    comments: { nodes: [{ body: "By ours", user: { isMe: true } }] },
  });
  const id = "6f1f2d3c-0000-4000-8000-000000000001";
  const create =
    "mutation Create($input: CommentCreateInput!) { commentCreate(input: $input) { success comment { id } } }";
  const input = { id, issueId: item.nodeId, body: "By theirs" };
  expect((await asked(create, { input })).commentCreate).toMatchObject({ success: true, comment: { id } });
  // A client-made id is taken once.
  const twice: unknown = await asked(create, { input }).catch((error: unknown) => error);
  expect(twice).toMatchObject({ type: LinearErrorType.InvalidInput });
  const those =
    'query { issue(id: "ENG-1") { comments(filter: { body: { contains: "theirs" } }) { nodes { id } } } }';
  expect((await asked(those)).issue).toEqual({ comments: { nodes: [{ id }] } });
  expect((await ours.read("ENG-1", signal))?.comments.map(({ text }) => text)).toEqual(["By theirs"]);
  const nobody: Client = new LinearClient({ apiKey: "lin_api_nobody", apiUrl: linear.url });
  const refused: unknown = await nobody.client
    .rawRequest("query { viewer { id } }")
    .catch((error: unknown) => error);
  expect(refused).toMatchObject({ type: LinearErrorType.AuthenticationError });
  // A field that is not in the schema is refused, as Linear does.
  const wrong: unknown = await asked("query { viewer { nickname } }").catch((error: unknown) => error);
  expect(String(wrong)).toContain("nickname");
  for (let left = 100; left > 0; left--) {
    const end: unknown = await asked("query { viewer { id } }").then(
      () => undefined,
      (error: unknown) => error,
    );
    if (end === undefined) continue;
    expect(end).toMatchObject({ type: LinearErrorType.Ratelimited });
    return;
  }
  throw new Error("no limit was met");
});
