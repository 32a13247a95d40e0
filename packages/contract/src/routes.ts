/**
 * Method and path of each operation (interface: Endpoints).
 *
 * Plain data, so that a client can send requests without carrying the schemas.
 */
export const routes = {
  createPlant: { method: 'POST', path: '/plants' },
} as const;
