import type { BoxPlaces } from "../config/box-config.ts";

/** A box that cannot be made as it is asked for. `key`: of `docker`, where that is said. */
export class BoxError extends Error {
  override readonly name = "BoxError";
  readonly problem: string;
  readonly fix: string;
  readonly key: keyof BoxPlaces;

  constructor(problem: string, fix: string, key: keyof BoxPlaces) {
    super(`${problem}\n${fix}`);
    this.problem = problem;
    this.fix = fix;
    this.key = key;
  }
}
