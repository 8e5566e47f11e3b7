/** Something that is done again each time so much has passed. A clock that is set back does not keep it waiting. */
export class Every {
  readonly #ms: number;
  #last: number | undefined;

  constructor(ms: number) {
    this.#ms = ms;
  }

  isDue(now: Date): boolean {
    const since = now.getTime() - (this.#last ?? Number.NEGATIVE_INFINITY);
    return since < 0 || since >= this.#ms;
  }

  done(now: Date): void {
    this.#last = now.getTime();
  }
}
