/** What a client knows of an operation at run time: plain data, since every bundle of a client has it. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With parameters as `:name`. */
  readonly path: string;
  /** The status of a success, and those of other replies besides `commonStatuses`. Default: 200 only. */
  readonly statuses?: readonly [success: number, ...others: number[]];
  /** Whether you may retry a request without doing more than the first one. Default: `true`. */
  readonly idempotent?: boolean;
}

/** The statuses of errors that every operation can return. */
export const commonStatuses = [400, 401, 403, 429, 500, 503] as const;

/**
 * The operations of the API, in the order in which the service tries their paths: those that are called the most come first. The
 * contract has what they take and give.
 */
export const routes = {
  createPlant: { method: 'POST', path: '/plants' },
  getPlant: { method: 'GET', path: '/plants/:id', statuses: [200, 304, 404, 412] },
  listPlants: { method: 'GET', path: '/plants' },
  createPlants: { method: 'POST', path: '/plants/batch' },
  getPlants: { method: 'POST', path: '/plants/batch/get' },
  updatePlants: { method: 'POST', path: '/plants/batch/update' },
  deletePlants: { method: 'POST', path: '/plants/batch/delete' },
  updatePlant: { method: 'PUT', path: '/plants/:id', statuses: [200, 404, 412] },
  getPlantHistory: { method: 'GET', path: '/plants/:id/history', statuses: [200, 404] },
  deletePlant: { method: 'DELETE', path: '/plants/:id', statuses: [204, 404, 412] },
  listTags: { method: 'GET', path: '/tags' },
  listChanges: { method: 'GET', path: '/changes', statuses: [200, 501] },
  getOwnToken: { method: 'GET', path: '/tokens/self' },
  listTokens: { method: 'GET', path: '/tokens' },
  // Each request would issue another token.
  createToken: { method: 'POST', path: '/tokens', idempotent: false },
  rotateToken: { method: 'POST', path: '/tokens/:id/rotate', statuses: [200, 404], idempotent: false },
  revokeToken: { method: 'DELETE', path: '/tokens/:id', statuses: [204, 404] },
  listAudit: { method: 'GET', path: '/audit' },
} as const satisfies Readonly<Record<string, Route>>;

/** The members of replies that are an int64, which a client reads as a `bigint`: a name has one type in all replies. */
export const int64Members = ['id'] as const;
