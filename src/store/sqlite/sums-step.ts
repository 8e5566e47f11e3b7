import type { Database } from "better-sqlite3";

/** Where a job's time goes, as its fold had it when this step was released. */
const TIMES = "model tools handoffs setup slot limit retries person stopped asleep".split(" ");

/** What is added up over jobs, by what stands in a snapshot. */
const FIGURES: Record<string, { type: "INTEGER" | "REAL"; of: (snapshot: string) => string }> = {
  turns: { type: "INTEGER", of: (snapshot) => `${snapshot} ->> 'turns'` },
  input: { type: "INTEGER", of: (snapshot) => `${snapshot} ->> '$.usage.input'` },
  output: { type: "INTEGER", of: (snapshot) => `${snapshot} ->> '$.usage.output'` },
  cache_read: { type: "INTEGER", of: (snapshot) => `${snapshot} ->> '$.usage.cacheRead'` },
  cache_write: { type: "INTEGER", of: (snapshot) => `${snapshot} ->> '$.usage.cacheWrite'` },
  cost_usd: { type: "REAL", of: (snapshot) => `${snapshot} ->> 'costUsd'` },
  simulated_usd: { type: "REAL", of: (snapshot) => `${snapshot} ->> 'simulatedUsd'` },
  timed: { type: "INTEGER", of: (snapshot) => `${snapshot} -> 'time' IS NOT NULL` },
  ...Object.fromEntries(
    TIMES.map((kind) => [
      `${kind}_ms`,
      { type: "INTEGER" as const, of: (snapshot: string) => `${snapshot} ->> '$.time.split.${kind}'` },
    ]),
  ),
};

const NAMES = Object.keys(FIGURES);

/** The earliest snapshots do not say by what they know the cost. */
const basisOf = (snapshot: string) =>
  `coalesce(${snapshot} ->> 'costBasis', iif(EXISTS (
    SELECT 1 FROM json_each(${snapshot}, '$.sessions') WHERE value ->> 'costUsd' = 0 AND value ->> 'turns' > 0
  ), 'unknown', 'told'))`;

const figuresOf = (snapshot: string) =>
  Object.values(FIGURES).map(({ of, type }) => `CAST(coalesce(${of(snapshot)}, 0) AS ${type})`);

/**
 * Jobs get a number, and their figures as columns. What these add up to, by agent, status and by what their cost is known,
 * is kept with every write, whoever makes it: so is what was spent in all, by agent and model, and the words of the request.
 */
export function addSums(database: Database): void {
  database.exec(`
  CREATE TABLE jobs_9 (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    agent TEXT NOT NULL,
    created_at TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    owner TEXT,
    seq INTEGER NOT NULL,
    status TEXT NOT NULL DEFAULT 'created',
    updated_at TEXT NOT NULL DEFAULT '',
    finished_at TEXT,
    epic TEXT,
    parent TEXT,
    handoffs INTEGER NOT NULL DEFAULT 0,
    leaves TEXT,
    hears INTEGER NOT NULL DEFAULT 1,
    cost_basis TEXT NOT NULL DEFAULT 'told',
    ${NAMES.map((name) => `${name} ${FIGURES[name]?.type} NOT NULL DEFAULT 0`).join(",\n    ")},
    figures_of INTEGER NOT NULL DEFAULT 0,
    snapshot TEXT
  ) STRICT;
  INSERT INTO jobs_9 (id, agent, created_at, attempt, owner, seq, status, updated_at, finished_at, epic, parent, handoffs, leaves,
      hears, cost_basis, ${NAMES.join(", ")}, figures_of, snapshot)
    SELECT id, agent, created_at, attempt, owner, seq, status, updated_at, finished_at, epic, parent, handoffs, leaves,
      hears, ${basisOf("snapshot")}, ${figuresOf("snapshot").join(", ")}, seq, snapshot
    FROM jobs ORDER BY created_at, id;
  DROP TABLE jobs;
  ALTER TABLE jobs_9 RENAME TO jobs;
  CREATE INDEX jobs_by_age ON jobs (created_at, id);
  CREATE INDEX jobs_by_short_id ON jobs (substr(id, 16));
  CREATE INDEX jobs_by_status ON jobs (status, created_at, id);
  CREATE INDEX jobs_by_agent ON jobs (agent, created_at, id);
  CREATE INDEX jobs_by_agent_and_status ON jobs (agent, status, created_at, id);
  CREATE INDEX jobs_by_epic ON jobs (epic, created_at, id) WHERE epic IS NOT NULL;
  CREATE INDEX jobs_by_parent ON jobs (parent) WHERE parent IS NOT NULL;
  CREATE INDEX jobs_by_cost ON jobs (cost_usd - simulated_usd, cost_usd, id);
  CREATE INDEX jobs_by_end ON jobs (finished_at, id) WHERE finished_at IS NOT NULL;
  CREATE INDEX jobs_handed_off ON jobs (created_at, id) WHERE handoffs > 0;
  CREATE INDEX jobs_handed_off_by_agent ON jobs (agent, created_at, id) WHERE handoffs > 0;
  CREATE INDEX jobs_owned ON jobs (id) WHERE owner IS NOT NULL;
  CREATE INDEX jobs_leaving ON jobs (created_at, id) WHERE leaves IS NOT NULL;

  CREATE TABLE job_sums (
    agent TEXT NOT NULL,
    status TEXT NOT NULL,
    cost_basis TEXT NOT NULL,
    jobs INTEGER NOT NULL,
    ${NAMES.map((name) => `${name} ${FIGURES[name]?.type} NOT NULL`).join(",\n    ")},
    PRIMARY KEY (agent, status, cost_basis)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO job_sums
    SELECT agent, status, cost_basis, count(*), ${NAMES.map((name) => `sum(${name})`).join(", ")}
    FROM jobs GROUP BY agent, status, cost_basis;
  `);
  keepSums(database);
  keepSpendSums(database);
  keepText(database);
}

/** Every one of these only adds, so that it does not matter in which order the database gets to them. */
function keepSums(database: Database): void {
  const add = (key: "NEW" | "OLD", jobs: number, figures: (name: string) => string) =>
    `INSERT INTO job_sums
      VALUES (${key}.agent, ${key}.status, ${key}.cost_basis, ${jobs}, ${NAMES.map(figures).join(", ")})
      ON CONFLICT DO UPDATE SET jobs = jobs + excluded.jobs,
        ${NAMES.map((name) => `${name} = ${name} + excluded.${name}`).join(", ")};`;
  const more = add("NEW", 1, (name) => `NEW.${name}`);
  const less = add("OLD", -1, (name) => `-OLD.${name}`);
  const difference = add("NEW", 0, (name) => `NEW.${name} - OLD.${name}`);
  const isAlike = "NEW.status = OLD.status AND NEW.cost_basis = OLD.cost_basis";
  const columns = ["status", "cost_basis", ...NAMES].join(", ");
  database.exec(`
  CREATE TRIGGER job_is_added AFTER INSERT ON jobs BEGIN ${more} END;
  CREATE TRIGGER job_is_removed AFTER DELETE ON jobs BEGIN ${less} END;
  CREATE TRIGGER job_goes_on AFTER UPDATE OF ${columns} ON jobs WHEN ${isAlike} BEGIN ${difference} END;
  CREATE TRIGGER job_changes AFTER UPDATE OF ${columns} ON jobs WHEN NOT (${isAlike}) BEGIN ${less} ${more} END;
  `);
  // A process of an older Baton keeps what it knows of, and the snapshot.
  const known = `
      cost_basis = ${basisOf("NEW.snapshot")},
      ${NAMES.map((name, index) => `${name} = ${figuresOf("NEW.snapshot")[index]}`).join(", ")},
      figures_of = NEW.seq`;
  const listed = `
      status = NEW.snapshot ->> 'status',
      updated_at = NEW.snapshot ->> 'updatedAt',
      finished_at = NEW.snapshot ->> 'finishedAt',
      epic = NEW.snapshot ->> 'epic',
      parent = NEW.snapshot ->> '$.parent.job',
      handoffs = json_array_length(NEW.snapshot, '$.handoffs')`;
  const isOlder = "NEW.figures_of <> NEW.seq AND NEW.snapshot IS NOT NULL";
  database.exec(`
  CREATE TRIGGER job_added_by_older_baton AFTER INSERT ON jobs WHEN ${isOlder} BEGIN
    UPDATE jobs SET ${known} WHERE id = NEW.id;
  END;
  CREATE TRIGGER job_written_by_older_baton AFTER UPDATE OF snapshot ON jobs WHEN ${isOlder} BEGIN
    UPDATE jobs SET ${listed}, ${known} WHERE id = NEW.id;
  END;
  `);
}

function keepSpendSums(database: Database): void {
  const names =
    "cost_usd simulated_usd estimated_usd unknown responses input output cache_read cache_write".split(" ");
  const types = names.map((name) => `${name} ${name.endsWith("usd") ? "REAL" : "INTEGER"} NOT NULL`);
  database.exec(`
  CREATE TABLE spend_sums (
    agent TEXT NOT NULL,
    model TEXT NOT NULL,
    ${types.join(",\n    ")},
    PRIMARY KEY (agent, model)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO spend_sums
    SELECT agent, model, ${names.map((name) => `sum(${name})`).join(", ")} FROM spend GROUP BY agent, model;
  CREATE TRIGGER spend_begins AFTER INSERT ON spend BEGIN
    INSERT INTO spend_sums VALUES (NEW.agent, NEW.model, ${names.map((name) => `NEW.${name}`).join(", ")})
    ON CONFLICT DO UPDATE SET ${names.map((name) => `${name} = ${name} + excluded.${name}`).join(", ")};
  END;
  CREATE TRIGGER spend_grows AFTER UPDATE ON spend BEGIN
    UPDATE spend_sums SET ${names.map((name) => `${name} = ${name} + NEW.${name} - OLD.${name}`).join(", ")}
    WHERE agent = NEW.agent AND model = NEW.model;
  END;
  `);
}

/** Any three characters of a request are found, without a copy of it: the snapshot has it. */
function keepText(database: Database): void {
  database.exec(`
  CREATE VIRTUAL TABLE job_text USING fts5 (text, content='', contentless_delete=1, tokenize='trigram');
  INSERT INTO job_text (rowid, text) SELECT number, coalesce(snapshot ->> 'prompt', '') FROM jobs;
  CREATE TRIGGER job_text_is_added AFTER INSERT ON jobs BEGIN
    INSERT INTO job_text (rowid, text) VALUES (NEW.number, coalesce(NEW.snapshot ->> 'prompt', ''));
  END;
  CREATE TRIGGER job_text_is_removed AFTER DELETE ON jobs BEGIN
    DELETE FROM job_text WHERE rowid = OLD.number;
  END;
  `);
}
