import type { Scope } from './access-token.js';
import type { ErrorBody, ErrorNumber } from './errors.js';
import type { routes } from './routes.js';

/** A plant as the service shows it: `{ name, tag? }`. */
export type Plant = { name: string; tag?: string | undefined };

/** A plant under its id, once validated: `id` is a `bigint`. */
export type NewPlant = Merged<{ id: bigint } & Plant>;

/**
 * What a client sends to create a plant: its `id`, the digits of the id as `idText`, or both, which must then agree. Beyond 2^53 only a
 * `bigint` and `idText` are exact. A `StoredPlant` is one, too.
 */
export type NewPlantInput =
  | Merged<{ id: number | bigint; idText?: string | undefined } & Plant>
  | Merged<{ id?: number | bigint | undefined; idText: string } & Plant>;

/**
 * A plant as it is stored: a `Plant` with its id, the digits of the id as text, which no program rounds, and when it was stored (ISO
 * 8601, in UTC), if that is known.
 */
export type StoredPlant = Merged<NewPlant & { idText: string; addedAt?: string | undefined }>;

/** An intersection as one type, as which an editor shows it. */
type Merged<Type> = { [Name in keyof Type]: Type[Name] };

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
  /** Plants with this in their name, in upper or lower case. At most 100 characters. */
  q?: string | undefined;
  /** Plants that were stored at this time or later (RFC 3339, with any offset). */
  addedFrom?: string | undefined;
  /** Plants that were stored before this time (RFC 3339, with any offset). */
  addedBefore?: string | undefined;
};

/** A page of a list, and where the next one begins; without `next` it is the last. It may be empty before that. */
export type PlantPage = { plants: StoredPlant[]; next?: string | undefined };

/** Which part of the plants a page of tags counts. */
export type TagQuery = {
  /** The `next` of the page before. */
  after?: string | undefined;
};

/**
 * How many plants have each tag, of those that the page has examined, and where the next page begins; without `next` it is the last.
 * The sums over all pages are the numbers.
 */
export type TagPage = { tags: { tag: string; plants: number }[]; next?: string | undefined };

/**
 * What must hold of an id when its plant is corrected: that the plant is the one that a reply had this `ETag` for, or that the plant
 * was deleted.
 */
export type Precondition =
  | { readonly 'if-match': string; readonly 'if-none-match'?: never }
  | { readonly 'if-none-match': '*'; readonly 'if-match'?: never };

/** Which changes a page has. */
export type ChangeQuery = {
  /** How many changes a page has at most, from 1 to 1,000. Default: 100. */
  limit?: number | undefined;
  /** The `next` of the page before; `0` for all that is stored. Default: now, so that only later changes come. */
  after?: string | undefined;
  /** For how long the reply waits for a change if there is none, in seconds, up to 25. Default: 0. */
  wait?: number | undefined;
};

/**
 * The last change of a plant, and the plant as it is since, unless it was deleted. `at` is when that was (ISO 8601, in UTC), if it is
 * known.
 */
export type Change = {
  kind: 'created' | 'corrected' | 'deleted';
  id: bigint;
  idText: string;
  plant?: StoredPlant | undefined;
  at?: string | undefined;
};

/** A page of changes, and where the next one begins. There are no more where it is empty and `next` is its own `after`. */
export type ChangePage = { changes: Change[]; next: string };

/**
 * What the token of a request permits, and until when (ISO 8601, in UTC), if it ends. An access token of the service has an id and a
 * name, a JSON Web Token the subject that it was issued for.
 */
export type OwnToken = {
  id?: bigint | undefined;
  name?: string | undefined;
  subject?: string | undefined;
  scopes: Scope[];
  expiresAt?: string | undefined;
  ratePerMinute?: number | undefined;
};

/**
 * An access token of the service, without its text. Times are in ISO 8601, in UTC: when it was last used is known to the hour.
 * `ratePerMinute` is how many requests it may make in a minute, if it has a limit of its own.
 */
export type Token = {
  id: bigint;
  name: string;
  scopes: Scope[];
  createdAt: string;
  expiresAt?: string | undefined;
  revokedAt?: string | undefined;
  lastUsedAt?: string | undefined;
  ratePerMinute?: number | undefined;
};

/** Access tokens in the order of their ids: all valid ones, and the latest 1,000 that were revoked or have expired. */
export type TokenList = { tokens: Token[] };

/**
 * A token to create, which may give no more than the token that creates it: without `expiresAt` (ISO 8601, in UTC) it expires as that
 * one does, without `ratePerMinute` it has the limit of that one.
 */
export type NewToken = {
  name: string;
  scopes: Scope[];
  expiresAt?: string | undefined;
  ratePerMinute?: number | undefined;
};

/**
 * How a token is replaced: for how long the old one works on at most, 0 to revoke it, and when the new one expires, by default after the
 * time that the old one was issued for, but never after the token that replaces it.
 */
export type TokenRotation = { overlapSeconds: number; expiresAt?: string | undefined };

/** A new token, with its text, which is shown this once. */
export type IssuedToken = Merged<Token & { secret: string }>;

/** A batch of plants to create, from 1 to 1,000. */
export type NewPlants = { plants: readonly NewPlantInput[] };

/** The ids of the plants of a batch, from 1 to 1,000: the digits of each as text, such as the `idText` of a plant. */
export type PlantIds = { ids: readonly string[] };

/** The outcome of one plant of a batch: as the reply to a request of its own would have been. */
export type CreateResult = { status: 200; replayed: boolean } | FailedResult<400 | 500 | 503>;
export type GetResult = { status: 200; plant: StoredPlant } | FailedResult<400 | 404 | 500 | 503>;
export type DeleteResult = { status: 204 } | FailedResult<400 | 404 | 500 | 503>;

type FailedResult<Status extends number> = { status: Status; error: ErrorNumber<Status>; message: string };

/** The outcomes of a batch, in the order of its plants. */
export type CreateResults = { results: CreateResult[] };
export type GetResults = { results: GetResult[] };
export type DeleteResults = { results: DeleteResult[] };

/**
 * What each operation takes and gives, as types without a schema: for clients, whose users need neither zod nor ts-rest.
 * A type test holds them equal to what ts-rest infers from the contract.
 */
export interface Operations {
  createPlant: { body: NewPlantInput; responses: Responses<'createPlant', Plant> };
  createPlants: { body: NewPlants; responses: Responses<'createPlants', CreateResults> };
  getPlants: { body: PlantIds; responses: Responses<'getPlants', GetResults> };
  deletePlants: { body: PlantIds; responses: Responses<'deletePlants', DeleteResults> };
  correctPlant: {
    params: { id: number | bigint };
    headers: Precondition;
    body: Plant;
    responses: Responses<'correctPlant', StoredPlant>;
  };
  deletePlant: { params: { id: number | bigint }; responses: Responses<'deletePlant', undefined> };
  getPlant: { params: { id: number | bigint }; responses: Responses<'getPlant', StoredPlant> };
  listPlants: { query: PlantQuery; responses: Responses<'listPlants', PlantPage> };
  listTags: { query: TagQuery; responses: Responses<'listTags', TagPage> };
  listChanges: { query: ChangeQuery; responses: Responses<'listChanges', ChangePage> };
  getOwnToken: { responses: Responses<'getOwnToken', OwnToken> };
  listTokens: { responses: Responses<'listTokens', TokenList> };
  /** Not idempotent: a call makes one attempt, since each that arrives issues a token. After a lost reply, look at the list. */
  createToken: { body: NewToken; responses: Responses<'createToken', IssuedToken> };
  /** Not idempotent, as `createToken`. */
  rotateToken: {
    params: { id: number | bigint };
    body: TokenRotation;
    responses: Responses<'rotateToken', IssuedToken>;
  };
  revokeToken: { params: { id: number | bigint }; responses: Responses<'revokeToken', undefined> };
}

/** The body of each reply, by its status: that of a success, or an Error body. */
type Responses<Name extends keyof typeof routes, Success> = {
  [Status in (typeof routes)[Name]['statuses'][number]]: Status extends 200 | 204
    ? Success
    : ErrorBody<Status>;
};
