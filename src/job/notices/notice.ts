import type { NotifyEvent } from "../../config/config.ts";

/** Something that a person asked to be told. */
export interface Notice {
  event: NotifyEvent;
  title: string;
  text: string;
  /** What to type about it. */
  command: string;
}
