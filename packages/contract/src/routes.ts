/** What a client knows about an operation at run time. It is plain data, because every client bundle contains it. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The path, with parameters as `:name`. */
  readonly path: string;
  /** The success status, then all other statuses that are not in `commonStatuses`. Default: only 200. */
  readonly statuses?: readonly [success: number, ...others: number[]];
  /** Whether a retry has no further effect. Default: `true`. */
  readonly idempotent?: boolean;
}

/** The statuses of errors that every operation can return. */
export const commonStatuses = [400, 401, 403, 429, 500, 503] as const;

/**
 * The operations of the API, in the order in which the service matches their paths: the most frequent ones come first. The contract defines
 * their requests and replies.
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

/** The names of int64 members in replies, which a client reads as `bigint`. A name has the same type in all replies. */
export const int64Members = ['id'] as const;
