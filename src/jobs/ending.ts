/** Why a running job is told to end from outside. The relay's signal is aborted with one of these. */
export class JobCancelled extends Error {
  override readonly name = "JobCancelled";
}

export class JobInterrupted extends Error {
  override readonly name = "JobInterrupted";
}
