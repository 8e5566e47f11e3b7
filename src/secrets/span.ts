/** A part of a text that nobody should read. */
export interface Span {
  from: number;
  to: number;
  /** The variable whose value it is, where that is known. */
  name?: string;
}
