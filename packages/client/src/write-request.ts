import { type ExactJson, stringifyExactJson } from '@plant-store/contract/exact-json/stringify';
import type { Route } from '@plant-store/contract/routes';

type Scalar = string | number | bigint | boolean;

/** The parts that a request can have, whatever its operation. */
export interface RequestParts {
  readonly params?: Readonly<Record<string, Scalar>>;
  readonly query?: Readonly<Record<string, Scalar | readonly Scalar[] | null | undefined>>;
  readonly body?: ExactJson;
  readonly ifMatch?: { readonly etag: string | null } | undefined;
}

/**
 * Returns the path and query of a request, to append to the base URL. A list in the query becomes one parameter per value.
 *
 * @throws {RangeError} when an integer `number` may have been rounded
 */
export function writeTarget(
  { path }: Pick<Route, 'path'>,
  { params = {}, query = {} }: RequestParts,
): string {
  // Called only for its errors. The values are written as text below.
  stringifyExactJson([params, query]);
  const target = path.replace(/:(\w+)/g, (_, name) => encodeURIComponent(String(params[name])));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const item of [value ?? []].flat()) search.append(name, String(item));
  }
  return target + `?${search}`.replace(/\?$/, '');
}

/**
 * Returns the body of a request, if it has one, with every integer exact.
 *
 * @throws {RangeError} when an integer `number` may have been rounded
 */
export function writeBody({ body }: RequestParts): string | undefined {
  return body === undefined ? undefined : stringifyExactJson(body);
}
