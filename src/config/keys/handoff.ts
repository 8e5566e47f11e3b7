import { DEFAULTS } from "../defaults.ts";
import { exampleFix, key, listOf, type Reader, refuse, section } from "../reader/reader.ts";
import { told } from "../reader/schema.ts";
import { percent, percentUsed } from "../reader/threshold.ts";
import { duration, flag, path, text, wholeNumber } from "../reader/values.ts";

/** A browser cannot be started from here, so there is only one thing to say. */
const onlyFalse: Reader<boolean> = {
  ...flag,
  schema: { const: false },
  read(spot, report) {
    const given = flag.read(spot, report);
    return given
      ? refuse(spot, report, "false: a browser session cannot be started for you", exampleFix(spot, "false"))
      : given;
  },
};

const percents = listOf(percent, "[50, 60]");

const onePercentOrMore: Reader<number[]> = {
  expects: "a per cent, or a list of them",
  schema: told({ type: "array" }, percents.schema, percent.schema),
  read(spot, report) {
    if (spot.value.kind === "list") return percents.read(spot, report);
    const level = percent.read(spot, report);
    return level === undefined ? undefined : [level];
  },
};

const livingDocument = section(
  {
    path: key(text("docs/HANDOFF.md"), "the document, in the workspace", DEFAULTS.living_document.path),
    template_path: key(
      text("docs/HANDOFF-template.md"),
      "what it starts from, in the workspace; created if missing",
      DEFAULTS.living_document.template_path,
    ),
    archive_dir: key(
      text("docs/HANDOFF-archive/"),
      "where earlier versions are kept, in the workspace",
      DEFAULTS.living_document.archive_dir,
    ),
    size_threshold: key(
      wholeNumber(20, 500),
      "lines at which it is archived and starts over from its template",
      DEFAULTS.living_document.size_threshold,
    ),
    auto_commit: key(flag, "commit it at every handoff", DEFAULTS.living_document.auto_commit),
  },
  "{ path: docs/HANDOFF.md }",
);

export const handoffKeys = {
  enabled: key(
    flag,
    "`false` leaves a full window to Claude Code's own compaction; `session.auto_compact` is then on",
    DEFAULTS.handoff.enabled,
  ),
  dir: key(
    path(".baton/handoffs"),
    "where documents are stored; archived ones go to `archive/` in it",
    DEFAULTS.handoff.dir,
  ),
  template_path: key(
    path("docs/handoff-template.md"),
    "a Markdown file whose headings set the sections of a document and their order",
  ),
  budget: key(percent, "per cent of the next window that a document may take", DEFAULTS.handoff.budget),
  auto_continue_cli: key(
    flag,
    "`false` pauses the job once the handoff is stored; `baton resume` continues it",
    DEFAULTS.handoff.auto_continue_cli,
  ),
  auto_continue_browser: key(
    onlyFalse,
    "can only be `false`: a browser session cannot be started for you",
    false,
  ),
  retention_days: key(
    wholeNumber(1, 90),
    "how long archived documents are kept",
    DEFAULTS.handoff.retention_days,
  ),
  living_document: key(
    { ...livingDocument, schema: { ...livingDocument.schema, title: "living_document" }, optional: true },
    "one document that is kept up to date across many sessions",
  ),
  threshold: key(percentUsed, "per cent used, instead of `session.context_threshold`"),
  notify_user_at: key(
    onePercentOrMore,
    "warn when this many per cent of the window are used",
    DEFAULTS.handoff.notify_user_at,
  ),
  timeout: key(
    duration(1, "5m"),
    "how long the agent may take to write its account; after that the document is made from facts alone",
    DEFAULTS.handoff.timeout,
  ),
};

const { enabled, threshold, auto_continue_cli, auto_continue_browser, retention_days, notify_user_at } =
  handoffKeys;

/** What `.supervisor-specific/handoff-config.yaml` can say. */
export const supervisorKeys = {
  enabled,
  threshold,
  auto_continue_cli,
  auto_continue_browser,
  retention_days,
  notify_user_at,
};

/** What it means where it does not say. */
export const SUPERVISOR_DEFAULTS = { threshold: 70, retention_days: 90 } as const;
