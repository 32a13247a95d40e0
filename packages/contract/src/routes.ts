/**
 * Method, path and the statuses of the replies of each operation (API: Endpoints), and whether a request may be
 * retried without doing more than the first one.
 *
 * Plain data, so that a client can send requests and know the replies without carrying the schemas.
 */
export const routes = {
  createPlant: {
    method: 'POST',
    path: '/plants',
    statuses: [200, 400, 401, 403, 429, 500, 503],
    idempotent: true,
  },
} as const;
