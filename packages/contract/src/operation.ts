import type { Scope } from './access-token.js';
import type { ErrorBody, ErrorName, ErrorNumber } from './errors.js';

/** A plant as the service shows it (API: Resources, Plant): `{ name, tag? }`. */
export type Plant = { name: string; tag?: string | undefined };

/** `{ id, name, tag? }` once validated: `id` is a `bigint`. */
export type NewPlant = { id: bigint; name: string; tag?: string | undefined };

/** What a client sends to create a plant (API: Resources, NewPlant); beyond 2^53 only a `bigint` is exact. */
export type NewPlantInput = { id: number | bigint; name: string; tag?: string | undefined };

/**
 * A plant as it is stored: a `Plant` with its id, the digits of the id as text, which no program rounds, and when it was stored (ISO
 * 8601, in UTC), if that is known.
 */
export type StoredPlant = {
  id: bigint;
  idText: string;
  name: string;
  tag?: string | undefined;
  addedAt?: string | undefined;
};

/** Which plants a list has, and in which order. */
export type PlantQuery = {
  /** How many plants a page has at most, from 1 to 1,000. Default: 100. */
  limit?: number | undefined;
  /** The `next` of the page before, of the same query. */
  after?: string | undefined;
  /** `id` for ascending ids; `newest` for the latest first, those without a time last. Default: `id`. */
  order?: 'id' | 'newest' | undefined;
  /** Plants with exactly this tag. At most 1,000 characters. */
  tag?: string | undefined;
  /** Plants with this in their name; ASCII letters match in either case. At most 100 characters. */
  q?: string | undefined;
};

/** A page of a list, and where the next one begins; without `next` it is the last. It may be empty before that. */
export type PlantPage = { plants: StoredPlant[]; next?: string | undefined };

/** The most characters, which are Unicode code points, that the texts of the query of a list may have. */
export const QUERY_MAX_LENGTHS = { after: 100, tag: 1_000, q: 100 } as const;

/** The most plants that a page of a list, or a batch, may have. */
export const MAX_PLANTS = 1_000;

/** A batch of plants to create, from 1 to 1,000. */
export type NewPlants = { plants: readonly NewPlantInput[] };

/** The outcome of one plant of a batch: as the reply to a request of its own would have been. */
export type CreateResult =
  | { status: 200; replayed: boolean }
  | { status: 400 | 500 | 503; error: ErrorNumber<400 | 500 | 503>; message: string };

/** The outcomes of a batch, in the order of its plants. */
export type CreateResults = { results: CreateResult[] };

/** What a client passes or gets for each schema that an operation may name; `schemas.ts` has the schemas. */
export interface SchemaTypes {
  Plant: Plant;
  NewPlant: NewPlantInput;
  StoredPlant: StoredPlant;
  PlantQuery: PlantQuery;
  PlantPage: PlantPage;
  NewPlants: NewPlants;
  CreateResults: CreateResults;
  /** An int64 in a path or a query. */
  Int64Parameter: number | bigint;
}

/** The name of a schema, by which operations refer to it, so that they are plain data. */
export type SchemaName = keyof SchemaTypes;

/** What a client knows of an operation at run time: plain data, since every bundle of a client has it. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With parameters as `:name`. */
  readonly path: string;
  /** The statuses of the replies. */
  readonly statuses: readonly number[];
  /** Whether a request may be retried without doing more than the first one. */
  readonly idempotent: boolean;
}

/** All else that defines an operation: what it takes and gives, and its texts. */
export interface Definition<Statuses extends number = number> {
  /**
   * What a token needs for it. All but `read` may change what is stored: such a request is rejected while too many others
   * wait; a read never is.
   */
  readonly scope: Scope;
  /** The group that it belongs to in the OpenAPI document. */
  readonly tag: 'plants';
  readonly summary: string;
  readonly description: string;
  readonly request: RequestParts;
  /** The replies of all statuses but those that every operation describes in the same words. */
  readonly replies: {
    readonly [Status in Exclude<Statuses, keyof typeof commonReplies>]: ReplyDescription &
      (Status extends 200 ? { readonly body: SchemaName } : unknown);
  };
}

/** The parts of a request, each as a schema, or as one of each of its members. A part without a schema is not read. */
export interface RequestParts {
  /** The parameters in the path, each as text; one for each `:name` of the route's path. */
  readonly path?: RequestPart;
  /** The parameters in the query, each as text, or as a list of texts where one is sent more than once. */
  readonly query?: RequestPart;
  /** Headers by their names in lower case; others are not read. */
  readonly headers?: RequestPart;
  /** The JSON body. */
  readonly body?: SchemaName;
}

/** A schema, or one of each member. */
export type RequestPart = SchemaName | Readonly<Record<string, SchemaName>>;

/** A reply as the OpenAPI document describes it. */
export interface ReplyDescription {
  readonly description: string;
  /** The schema of a success; every failure has an Error body. */
  readonly body?: SchemaName;
  /** The headers that it may bear besides those that every reply of its status may bear. */
  readonly headers?: readonly HeaderName[];
  /** What can be requested next, by the operation: its parameters as runtime expressions (OpenAPI 3.1, Link Object). */
  readonly links?: Readonly<Record<string, Readonly<Record<string, string>>>>;
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

/** The name of a header that a reply may bear besides `X-Request-Id`, which each has. */
export type HeaderName =
  | 'Idempotent-Replayed'
  | 'Retry-After'
  | 'RateLimit'
  | 'RateLimit-Policy'
  | 'WWW-Authenticate';

/** What an operation takes and gives as plain types: `{ params?, query?, body?, responses }`. */
export type TypesOf<Given extends Route, Defined extends Named> = PartTypes<Defined['request']> & {
  /** The body of each reply, by the statuses of its route; of every failure it is an Error body. */
  responses: {
    [Status in Given['statuses'][number]]: Status extends 200 | 204
      ? Status extends 200
        ? SchemaTypes[NonNullable<Defined['replies'][200]>['body']]
        : undefined
      : ErrorBody<Status>;
  };
};

/** The part of a definition that names schemas. */
interface Named {
  readonly request: object;
  readonly replies: { readonly 200?: { readonly body: SchemaName }; readonly 503: object };
}

/** What a client calls the parts of a request; not the headers, which it passes to every operation in the same way. */
interface PartNames {
  path: 'params';
  query: 'query';
  body: 'body';
}

type PartTypes<Request> = {
  -readonly [Part in keyof Request & keyof PartNames as PartNames[Part]]: Request[Part] extends SchemaName
    ? SchemaTypes[Request[Part]]
    : { -readonly [Member in keyof Request[Part]]: SchemaTypes[Request[Part][Member] & SchemaName] };
};
