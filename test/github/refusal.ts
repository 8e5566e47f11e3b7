/** An answer that is no success, as GitHub words it. */
export class Refusal extends Error {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly more: object;

  constructor(status: number, message: string, more: object = {}, headers: Record<string, string> = {}) {
    super(message);
    this.status = status;
    this.more = more;
    this.headers = headers;
  }
}

export const notFound = () => new Refusal(404, "Not Found");

export function invalid(resource: string, field: string, code: string, message?: string): Refusal {
  return new Refusal(422, "Validation Failed", {
    errors: [{ resource, field, code, ...(message && { message }) }],
  });
}
