import type { ProcessIdentity } from "../processes/owner.ts";
import { fromJson, isFields } from "../util/json.ts";

const OWNER = "baton.owner";
const JOB = "baton.job";
const PROJECT = "baton.project";

/** Whose a container is: set when it is made, and never changed. */
export function labelsOf({
  job,
  project,
  owner,
}: {
  job: string;
  project: string;
  owner: ProcessIdentity;
}): Record<string, string> {
  return { [OWNER]: JSON.stringify(owner), [JOB]: job, [PROJECT]: project };
}

export const ofJob = (job: string): string => `label=${JOB}=${job}`;
export const ofBaton = `label=${OWNER}`;

export interface LabelledContainer {
  id: string;
  job: string;
  project: string;
  owner: ProcessIdentity;
}

/** For `ps --format`: a line a container, which `readLabelled` reads. The engines have different words for a label. */
export const FORMATS = {
  docker: formatWith((label) => `{{.Label "${label}"}}`),
  podman: formatWith((label) => `{{index .Labels "${label}"}}`),
};

function formatWith(shown: (label: string) => string): string {
  return ["{{.ID}}", ...[JOB, PROJECT, OWNER].map(shown)].join("\t");
}

/** What is not labelled as Baton does it is somebody else's. */
export function readLabelled(output: string): LabelledContainer[] {
  return output.split("\n").flatMap((line) => {
    const [id = "", job = "", project = "", written = ""] = line.split("\t");
    const owner = fromJson(written);
    return id !== "" && job !== "" && isIdentity(owner) ? [{ id, job, project, owner }] : [];
  });
}

function isIdentity(value: unknown): value is ProcessIdentity {
  if (!isFields(value)) return false;
  const texts = ["host", "pidNamespace", "boot", "startTime"].every(
    (name) => typeof value[name] === "string",
  );
  return texts && typeof value.pid === "number";
}
