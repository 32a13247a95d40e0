import type { ErrorName } from './errors/errors.js';
import type { HeaderName } from './openapi/describe-headers.js';
import type { routes } from './routes.js';

/** What is to be known of an operation besides its route and its schemas. */
export interface OperationMetadata<Name extends keyof typeof routes = keyof typeof routes> {
  /** Whether it may change what is stored. A write is rejected while too many others wait; a read never is. */
  readonly access: 'read' | 'write';
  /** The group that it belongs to in the OpenAPI document. */
  readonly tag: 'plants';
  /** The replies of all statuses but those that every operation describes in the same words. */
  readonly replies: Readonly<Record<Exclude<Statuses<Name>, keyof typeof commonReplies>, ReplyDescription>>;
}

/** A reply as the OpenAPI document describes it. */
export interface ReplyDescription {
  readonly description: string;
  /** The headers that it may bear besides those that every reply of its status may bear. */
  readonly headers?: readonly HeaderName[];
  /** The errors that it may carry. Default: all of its status. */
  readonly errors?: readonly ErrorName[];
}

/** The replies that do not depend on the operation. */
export const commonReplies = {
  401: { description: 'The access token is missing or not valid' },
  403: { description: 'The access token does not permit this' },
  429: { description: 'Too many requests' },
  500: { description: 'An error of the service' },
} as const satisfies Record<number, ReplyDescription>;

type Statuses<Name extends keyof typeof routes> = (typeof routes)[Name]['statuses'][number];
