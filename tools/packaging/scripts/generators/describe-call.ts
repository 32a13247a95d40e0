/** What a program prints of one call. */
export interface ReportedCall {
  readonly id: string;
  readonly name: string;
  readonly body?: { readonly error?: number };
  readonly thrown?: string;
}

/**
 * Describes what became of an id: what the program printed, compared with the stored plants, one a line, of which the
 * program's has its name.
 *
 * @throws {Error} when the call failed for another reason than a `bigint` that cannot be written, or nothing is stored
 * after a success
 */
export function describeCall({ id, name, body, thrown }: ReportedCall, stored: readonly string[]): string {
  const line = stored.find((line) => line.includes(`"name":${JSON.stringify(name)}`));
  if (thrown !== undefined) {
    if (!thrown.includes('BigInt') || line !== undefined) throw new Error(`${name} is not called: ${thrown}`);
    return `nothing sent: ${thrown.split(':')[0]}`;
  }
  if (body?.error !== undefined) return `rejected: ${body.error}`;
  const storedId = /^\{"id":(-?\d+)/.exec(line ?? '')?.[1];
  if (storedId === undefined) throw new Error(`${name} is not stored: ${JSON.stringify(body)}`);
  return storedId === id ? 'exact' : `**stored as ${storedId}**`;
}
