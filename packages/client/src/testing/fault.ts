/**
 * What goes wrong with one request to a fake plant store. `stored` is whether the request is carried out all the
 * same, before anything goes wrong, so that a valid plant is stored; the default is `false`.
 *
 * @example
 * import { createFakePlantStore, type Fault } from '@plant-store/client/testing';
 *
 * const gateway: Fault = {
 *   kind: 'status',
 *   status: 502,
 *   headers: { 'Content-Type': 'text/html' },
 *   body: '<h1>Bad Gateway</h1>',
 * };
 * createFakePlantStore().fail(gateway, { kind: 'drop', stored: true });
 */
export type Fault = DelayFault | DropFault | RefuseFault | StatusFault | MalformedFault;

/** The usual reply, late. With 0 milliseconds nothing goes wrong: it lets a request pass between two faults. */
export interface DelayFault {
  readonly kind: 'delay';
  /** In milliseconds. A request that is aborted in this time is not carried out any more. */
  readonly ms: number;
  readonly stored?: boolean;
}

/** The connection breaks before a reply comes: `fetch` rejects, and the caller cannot know what is stored. */
export interface DropFault {
  readonly kind: 'drop';
  readonly stored?: boolean;
}

/** No connection is made: `fetch` rejects, and certainly nothing is stored. */
export interface RefuseFault {
  readonly kind: 'refuse';
}

/** A reply of another status, from the service or from a proxy in front of it. */
export interface StatusFault {
  readonly kind: 'status';
  /** From 200 to 599. */
  readonly status: number;
  /** Such as `{ 'Retry-After': '1' }`. Default: none; the service itself always sends `Retry-After` with 429 and 503. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: the Error body of the first error of that status in the registry; where there is none, nothing. */
  readonly body?: string;
  readonly stored?: boolean;
}

/** The request is carried out, but its reply comes with another body: a page, the first half, or nothing. */
export interface MalformedFault {
  readonly kind: 'malformed';
  readonly body: 'html' | 'truncated' | 'empty';
}
