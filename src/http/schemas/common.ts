import { z } from "zod";
import { JOB_STATUSES } from "../../app/records/narrowed.ts";

export const time = z.iso.datetime().describe("in UTC");

export const status = z.enum(JOB_STATUSES);

export const scope = z.enum(["view", "start", "answer", "admin"]);

export const problem = z
  .object({
    type: z.string().describe("`urn:baton:` and a code, by which programs tell problems apart"),
    title: z.string(),
    status: z.int(),
    detail: z.string().describe("what happened and what to do, for people"),
    errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  })
  .meta({ id: "Problem", description: "Why something was refused or went wrong (RFC 9457)" });

/** How many, in a list. */
export const limit = (usual: number, most: number) =>
  z.coerce.number().int().min(1).max(most).default(usual).describe("how many at most");

export const project = z
  .string()
  .max(100)
  .optional()
  .describe("the key or the name of one project, where several are served");

export const flag = z
  .enum(["true", "false"])
  .transform((word) => word === "true")
  .optional();
