/** What a client knows of an operation at run time. */
export interface Route {
  readonly method: string;
  /** The path below the base address, with parameters as `:name`. */
  readonly path: string;
  /** The statuses that the operation declares. */
  readonly statuses: readonly number[];
  /** Whether repeating a request does no more than the request; as a rule its method tells (RFC 9110, section 9.2.2). */
  readonly idempotent?: boolean;
}

/** Whether a request may be repeated when it is not known what became of it. */
export function isIdempotent({ method, idempotent }: Route): boolean {
  return idempotent ?? !/^(POST|PATCH)$/.test(method);
}
