import { describe, expect, it } from "vitest";
import { agent } from "./keys/agent.ts";
import { configSchema, projectFile } from "./keys/files.ts";
import { hookKeys } from "./keys/hook.ts";
import { maintenance } from "./keys/maintenance.ts";
import { watch } from "./keys/watch.ts";
import { parseConfig } from "./layers/parse.ts";
import type { Reader, Readers } from "./reader/reader.ts";
import type { Schema } from "./reader/schema.ts";

type Plain = Record<string, unknown>;

/** What must be there for a key to mean something. */
const AROUND: Record<string, Plain> = {
  command: { runtime: "acp", command: ["old-agent"] },
  working_directory: { root: "somewhere", repo: "https://example.com/old.git", auto_clone: true },
  "working_directory.auto_clone": { root: "somewhere", repo: "https://example.com/old.git" },
  "handoff.living_document": {},
  "session.fallback": { on_limit: "switch", fallback: ["old"] },
  "session.switch_back": { on_limit: "switch", fallback: ["old"] },
  docker: { enabled: true },
  "docker.enabled": {},
  "docker.engine": { enabled: true, image: "old" },
  "docker.ports": { enabled: true, network: "bridge" },
  "chat.discord.command_registration": { guild_id: "1048576123456789000" },
  "chat.discord.presence": { activity_message: "the work" },
};

/** Lists of maps. */
const LISTS: Record<string, Plain[]> = {
  "chat.slack.channels": [{ id: "C0123456789" }],
  "chat.discord.guilds": [{ id: "1048576123456789012" }],
  "chat.slack.skills": [{ name: "deploy" }],
  "chat.discord.skills": [{ name: "deploy" }],
};

/** Keys that change nothing by themselves, with the reason. */
const SILENT: Record<string, string> = {
  name: "is asked for in another way",
  "handoff.auto_continue_browser": "can only be false",
  "docker.ephemeral": "can only be true",
  schedules: "its keys are tried one by one",
  "work_source.type": "needs other keys beside it: its two kinds are tried in work-sources.test.ts",
  "schedule.work_source": "its keys are tried where they stand in an agent",
  "schedule.resume_session": "must agree with session.mode",
  "schedule.type": "must agree with the key that says the times",
  "schedule.channel": "needs a chat with that channel: see chats.test.ts",
  "chat.discord.voice": "is refused",
  "chat.slack.output.typing_indicator": "is refused: see chats.test.ts",
};

const HOOKS: Record<keyof typeof hookKeys, Plain> = {
  shell: { type: "shell", command: "./old.sh" },
  webhook: { type: "webhook", url: "https://example.com/old" },
  slack: { type: "slack", channel_id: "C0" },
  discord: { type: "discord", channel_id: "0" },
};

const SERVERS = [
  { server: { command: "old" }, keys: ["timeout", "alwaysLoad", "command", "args", "env"] },
  { server: { type: "http", url: "https://example.com/old" }, keys: ["type", "url", "headers"] },
];

const PRICE = { input: 5, output: 25, cache_read: 1, cache_write_5m: 6, cache_write_1h: 12 };

const SOURCE = { type: "github", repo: "acme/old" };
const LINEAR = { type: "linear", team: "OLD" };

const APP = { id: 1, installation: 2, private_key_env: "OLD_KEY" };

const SCHEDULE = { cron: "0 4 * * *", prompt: "Look." };

interface Case {
  key: string;
  before: Plain;
  after: Plain;
}

const ALLOWED: Case = {
  key: "docker.network.allow",
  before: { docker: { enabled: true, network: { allow: ["old.example"] } } },
  after: { docker: { enabled: true, network: { allow: ["new.example"] } } },
};

const cases = [
  ...casesOf(agent.keys ?? {}, ""),
  ...hookCases(),
  ...serverCases(),
  ...priceCases(),
  ...scheduleCases(),
  ALLOWED,
].filter(({ key }) => !(key in SILENT));

/** Setting each key of a section, and of the sections in it, to another value than it has. */
function casesOf(readers: Readers, path: string): Case[] {
  return Object.entries(readers).flatMap(([name, reader]) => {
    const key = path === "" ? name : `${path}.${name}`;
    if (key === "work_source") return sourceCases(reader.keys ?? {}, "");
    if (reader.keys) return casesOf(reader.keys, key);
    const around = AROUND[key] ?? AROUND[path] ?? {};
    const after = { ...around, [name]: LISTS[key] ?? another(reader) };
    const inside = (value: Plain) => (key === "chat.fake" ? at(path, value) : played(at(path, value)));
    return [{ key, before: inside(around), after: inside(after) }];
  });
}

/** A service that needs no account. */
function played(agent: Plain): Plain {
  return isPlain(agent.chat) ? { chat: { fake: true, ...agent.chat } } : agent;
}

function hookCases(): Case[] {
  return Object.entries(HOOKS).flatMap(([kind, hook]) => {
    const keys: Readers = Object.entries(hookKeys).find(([name]) => name === kind)?.[1] ?? {};
    return Object.entries(keys).flatMap(([name, reader]) => {
      if (name === "type") return [];
      const { channel_id: _channel, ...rest } = hook;
      const changed = { ...(name === "webhook_url" ? rest : hook), [name]: another(reader) };
      const inside = (value: Plain) => ({ hooks: { after_run: [value] } });
      return [{ key: `${kind}.${name}`, before: inside(hook), after: inside(changed) }];
    });
  });
}

function serverCases(): Case[] {
  const readers: Readers = agent.keys?.mcp_servers?.values?.keys ?? {};
  return SERVERS.flatMap(({ server, keys }) =>
    keys.map((name) => {
      const reader = readers[name];
      const value = name === "type" ? "sse" : reader && another(reader);
      const inside = (value: Plain) => ({ mcp_servers: { one: value } });
      return { key: `server.${name}`, before: inside(server), after: inside({ ...server, [name]: value }) };
    }),
  );
}

function priceCases(): Case[] {
  const inside = (price: Plain) => ({ prices: { "claude-opus-5": price } });
  return Object.entries(PRICE).map(([name, usd]) => ({
    key: `prices.${name}`,
    before: inside(PRICE),
    after: inside({ ...PRICE, [name]: usd + 1 }),
  }));
}

function sourceCases(readers: Readers, above: string): Case[] {
  return Object.entries(readers).flatMap(([name, reader]): Case[] => {
    const key = `${above}${name}`;
    if (key !== "auth.app" && reader.keys) return sourceCases(reader.keys, `${key}.`);
    if (key === "auth.app") return appCases(reader.keys ?? {});
    const before = /^(?:team|states\.)/.test(key) ? LINEAR : SOURCE;
    const after = { ...before, ...nested(key, another(reader)) };
    return [{ key: `work_source.${key}`, before: { work_source: before }, after: { work_source: after } }];
  });
}

function appCases(readers: Readers): Case[] {
  const inside = (app: Plain) => ({ work_source: { ...SOURCE, auth: { app } } });
  const { private_key_env: _env, ...keyless } = APP;
  return Object.entries(readers).map(([name, reader]) => {
    const around = name === "private_key_file" ? keyless : APP;
    return {
      key: `work_source.auth.app.${name}`,
      before: inside(APP),
      after: inside({ ...around, [name]: another(reader) }),
    };
  });
}

function nested(path: string, value: unknown): Plain {
  const [first = "", ...rest] = path.split(".");
  return { [first]: rest.length === 0 ? value : nested(rest.join("."), value) };
}

function scheduleCases(): Case[] {
  const readers: Readers = agent.keys?.schedules?.values?.keys ?? {};
  const inside = (schedule: Plain) => ({ schedules: { one: schedule } });
  return Object.entries(readers).flatMap(([name, reader]) => {
    if (`schedule.${name}` in SILENT) return [];
    const { cron: _cron, ...timeless } = SCHEDULE;
    const hasOwnTimes = ["interval", "expression"].includes(name);
    const after = { ...(hasOwnTimes ? timeless : SCHEDULE), [name]: another(reader) };
    return [{ key: `schedule.${name}`, before: inside(SCHEDULE), after: inside(after) }];
  });
}

function at(path: string, value: Plain): Plain {
  if (path === "") return value;
  return path.split(".").reduceRight((inner, key) => ({ [key]: inner }), value);
}

/** A value that the reader takes, and that does not hold anyway. */
function another(reader: Reader<unknown>): unknown {
  if (reader.items) return [another(reader.items)];
  if (reader.values?.keys?.cache_read) return { "claude-opus-5": PRICE };
  if (reader.values) return { one: reader.values.keys ? { command: "npx" } : "1" };
  if (reader.keys) return { type: "shell", command: "./new.sh" };
  return sample(reader.schema, reader.schema.default);
}

function sample(schema: Schema, otherwise: unknown): unknown {
  const { else: inner, pattern = "" } = schema;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum.find((value) => value !== otherwise);
  if (schema.type === "boolean") return !otherwise;
  const fits = (value: unknown) => value !== otherwise && new RegExp(pattern).test(String(value));
  const others = typeof otherwise === "number" ? [otherwise + 1] : ["17m", "https://example.com/new"];
  if (schema.examples) return [...schema.examples, ...others].find(fits);
  return inner ? sample(inner, otherwise) : "something";
}

function parsed(keys: Plain, more: Plain = {}) {
  const text = JSON.stringify({
    ...more,
    agents: [{ name: "coder", ...keys }, { name: "old" }, { name: "reviewer" }],
  });
  const config = parseConfig(text, "/project/baton.yaml", "/home/someone", {});
  // Where a key stands is no meaning of it.
  const agents = config.agents.map(({ boxPlaces: _places, programPlace: _place, ...agent }) => agent);
  return { ...config, agents };
}

/** The paths of what is different, list items by their number. */
function differences(a: unknown, b: unknown, path = ""): string[] {
  if (!isPlain(a) || !isPlain(b)) return Object.is(a, b) ? [] : [path];
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...keys].flatMap((key) => differences(a[key], b[key], path === "" ? key : `${path}.${key}`));
}

function isPlain(value: unknown): value is Plain {
  return typeof value === "object" && value !== null;
}

describe("every key of an agent", () => {
  it.each(cases)("$key changes what Baton does", ({ before, after }) => {
    expect(after).not.toEqual(before);
    expect(differences(parsed(before).agents[0], parsed(after).agents[0])).not.toEqual([]);
  });

  it("changes something of its own", () => {
    const owners = new Map<string, string[]>();
    for (const { key, before, after } of cases) {
      const changed = differences(parsed(before).agents[0], parsed(after).agents[0]).join(" ");
      owners.set(changed, [
        ...(owners.get(changed) ?? []),
        key.replace(/^(shell|webhook|slack|discord|chat\.slack|chat\.discord)\./, ""),
      ]);
    }
    const shared = [...owners.values()].map((keys) => [...new Set(keys)]).filter((keys) => keys.length > 1);
    expect(shared).toEqual([
      ["working_directory.repo", "working_directory.auto_clone"],
      ["session.context_threshold", "session.context_handoff_threshold"],
      ["schedule.cron", "schedule.expression"],
    ]);
  });
});

describe("every key of maintenance", () => {
  it.each(casesOf(maintenance.keys ?? {}, ""))("$key changes what Baton does", ({ before, after }) => {
    const changed = parsed({}, { maintenance: after });
    expect(differences(parsed({}, { maintenance: before }).maintenance, changed.maintenance)).toHaveLength(1);
  });
});

describe("every key of watch", () => {
  it.each(casesOf(watch.keys ?? {}, ""))("$key changes what Baton does", ({ before, after }) => {
    const changed = parsed({}, { watch: after });
    expect(differences(parsed({}, { watch: before }).watch, changed.watch)).not.toEqual([]);
  });
});

const FLEET = { max_concurrent: 3, min_free_disk: "2g", min_free_memory: "1g" };

describe("every key of fleet", () => {
  it.each(Object.entries(FLEET))("%s changes what Baton does", (key, value) => {
    const changed = parsed({}, { fleet: { [key]: value } });
    expect(differences(parsed({}).fleet, changed.fleet)).toHaveLength(1);
  });

  it("lets a floor be none", () => {
    expect(parsed({}, { fleet: { min_free_disk: 0 } }).fleet).toMatchObject({ minFreeDisk: 0 });
  });
});

const WEB = {
  enabled: false,
  port: 0,
  host: "::1",
  allowed_hosts: ["box.example"],
  tls_cert: "cert.pem",
  tls_key: "key.pem",
  allow_insecure: true,
  session_expiry_hours: 12,
  open_browser: true,
};

describe("every key of web", () => {
  it.each(Object.entries(WEB))("%s changes what Baton does", (key, value) => {
    const changed = parsed({}, { web: { [key]: value } });
    expect(differences(parsed({}).web, changed.web)).toHaveLength(1);
  });
});

const WEBHOOKS = { enabled: true, secret_env: "HOOK_SECRET" };

describe("every key of webhooks", () => {
  it.each(Object.entries(WEBHOOKS))("%s changes what Baton does", (key, value) => {
    const changed = parsed({}, { webhooks: { [key]: value } });
    expect(differences(parsed({}).webhooks, changed.webhooks)).toHaveLength(1);
  });
});

const BUDGET = { scope: "agent", agent: "coder", per: "day", cost_usd: 5 };
const { agent: _, ...OF_ALL } = BUDGET;
const BUDGETS: Record<string, object> = {
  scope: { ...OF_ALL, scope: "fleet" },
  agent: { ...OF_ALL, scope: "fleet" },
  per: { ...BUDGET, per: "week" },
  cost_usd: { ...BUDGET, cost_usd: 6 },
  // biome-ignore lint/suspicious/noThenProperty: users write it
  then: { ...BUDGET, then: "warn" },
  simulated: { ...BUDGET, simulated: true },
};

describe("every key of a budget", () => {
  it.each(Object.entries(BUDGETS))("%s changes what Baton does", (_key, after) => {
    const changed = parsed({}, { budgets: [after] });
    expect(differences(parsed({}, { budgets: [BUDGET] }).budgets, changed.budgets)).not.toEqual([]);
  });
});

it("is among those that are set here", () => {
  const set = new Set(
    [...cases, ...casesOf(maintenance.keys ?? {}, ""), ...casesOf(watch.keys ?? {}, "")].flatMap(({ key }) =>
      key.split("."),
    ),
  );
  const known = new Set([
    ...set,
    ...Object.keys(SILENT).flatMap((key) => key.split(".")),
    ...Object.keys(projectFile.keys ?? {}),
    ...Object.keys(BUDGETS),
    ...Object.keys(FLEET),
    ...Object.keys(WEB),
    ...Object.keys(WEBHOOKS),
    // Of lists in `chat`: see chats.test.ts.
    ...["id", "channels", "context_messages", "default_channel_mode", "description"],
    // Of an agent in a file of its own, and what tells hooks apart.
    "path",
    "overrides",
    "type",
  ]);
  expect([...keysIn(configSchema())].filter((key) => !known.has(key))).toEqual([]);
});

function keysIn(schema: unknown): Set<string> {
  if (!isPlain(schema)) return new Set();
  const own = isPlain(schema.properties) ? Object.keys(schema.properties) : [];
  return new Set([...own, ...Object.values(schema).flatMap((inner) => [...keysIn(inner)])]);
}

describe("a default in the schema", () => {
  const withDefaults = cases.filter(({ key }) => defaultOf(key) !== undefined);

  it.each(withDefaults)("holds where $key is not written", ({ key, before }) => {
    const written = merge(
      before,
      at(key.split(".").slice(0, -1).join("."), { [key.split(".").at(-1) ?? ""]: defaultOf(key) }),
    );
    expect(parsed(written).agents[0]).toEqual(parsed(before).agents[0]);
  });

  it("is there for most keys", () => {
    expect(withDefaults.length).toBeGreaterThan(40);
  });
});

/** Of a key of an agent; hooks and servers are lists and maps of their own. */
function defaultOf(key: string): unknown {
  let reader: Reader<unknown> | undefined = agent;
  for (const name of key.split(".")) reader = reader?.keys?.[name];
  return reader?.schema.default;
}

function merge(a: Plain, b: Plain): Plain {
  const merged: Plain = { ...a };
  for (const [key, value] of Object.entries(b)) {
    const old = merged[key];
    merged[key] = isPlain(old) && isPlain(value) && !Array.isArray(value) ? merge(old, value) : value;
  }
  return merged;
}
