/** Whether this environment is of a session that a job runs: the process of the job watches that. Light, because hooks load it. */
export function isOfJob(env: Readonly<Record<string, string | undefined>>): boolean {
  return Boolean(env.BATON_JOB_ID || env.BATON_OWNER || env.BATON_SESSION_ID);
}
