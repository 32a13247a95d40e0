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

/**
 * The operations of the API, in the order in which the service tries their paths: those that are called the most come first. The
 * contract has what they take and give.
 */
export const routes = {
  createPlant: {
    method: 'POST',
    path: '/plants',
    statuses: [200, 400, 401, 403, 429, 500, 503],
    idempotent: true,
  },
  getPlant: {
    method: 'GET',
    path: '/plants/:id',
    statuses: [200, 304, 400, 401, 403, 404, 412, 429, 500, 503],
    idempotent: true,
  },
  listPlants: {
    method: 'GET',
    path: '/plants',
    statuses: [200, 400, 401, 403, 429, 500, 503],
    idempotent: true,
  },
  createPlants: {
    method: 'POST',
    path: '/plants/batch',
    statuses: [200, 400, 401, 403, 429, 500, 503],
    idempotent: true,
  },
  getPlants: {
    method: 'POST',
    path: '/plants/batch/get',
    statuses: [200, 400, 401, 403, 429, 500, 503],
    idempotent: true,
  },
  deletePlants: {
    method: 'POST',
    path: '/plants/batch/delete',
    statuses: [200, 400, 401, 403, 429, 500, 503],
    idempotent: true,
  },
  updatePlant: {
    method: 'PUT',
    path: '/plants/:id',
    statuses: [200, 400, 401, 403, 404, 412, 429, 500, 503],
    idempotent: true,
  },
  deletePlant: {
    method: 'DELETE',
    path: '/plants/:id',
    statuses: [204, 400, 401, 403, 404, 412, 429, 500, 503],
    idempotent: true,
  },
  listTags: {
    method: 'GET',
    path: '/tags',
    statuses: [200, 400, 401, 403, 429, 500, 503],
    idempotent: true,
  },
  listChanges: {
    method: 'GET',
    path: '/changes',
    statuses: [200, 400, 401, 403, 429, 500, 501, 503],
    idempotent: true,
  },
  getOwnToken: {
    method: 'GET',
    path: '/tokens/self',
    statuses: [200, 400, 401, 403, 429, 500, 503],
    idempotent: true,
  },
  listTokens: {
    method: 'GET',
    path: '/tokens',
    statuses: [200, 400, 401, 403, 429, 500, 503],
    idempotent: true,
  },
  createToken: {
    method: 'POST',
    path: '/tokens',
    statuses: [200, 400, 401, 403, 429, 500, 503],
    // Each would issue a token of its own.
    idempotent: false,
  },
  rotateToken: {
    method: 'POST',
    path: '/tokens/:id/rotate',
    statuses: [200, 400, 401, 403, 404, 429, 500, 503],
    idempotent: false,
  },
  revokeToken: {
    method: 'DELETE',
    path: '/tokens/:id',
    statuses: [204, 400, 401, 403, 404, 429, 500, 503],
    idempotent: true,
  },
} as const satisfies Readonly<Record<string, Route>>;

/** The members of replies that are an int64, which a client reads as a `bigint`: a name has one type in all replies. */
export const int64Members = ['id'] as const;
