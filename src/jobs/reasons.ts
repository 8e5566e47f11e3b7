/** Why a running job is told to end from outside. The relay's signal is aborted with one of these. */
export class JobCancelled extends Error {
  override readonly name = "JobCancelled";
}

export class JobInterrupted extends Error {
  override readonly name = "JobInterrupted";
}

/** Its item of work is, or may be, somebody else's: nothing more of it may leave this machine. */
export class ItemLost extends Error {
  override readonly name = "ItemLost";
}

/** The handoff that is being made is not wanted any more. The job goes on. */
export class HandoffCalledOff extends Error {
  override readonly name = "HandoffCalledOff";
}
