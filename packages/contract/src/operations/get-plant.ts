import type { Definition, Route } from '../operation.js';

export const route = {
  method: 'GET',
  path: '/plants/:id',
  statuses: [200, 400, 401, 403, 404, 429, 500, 503],
  idempotent: true,
} as const satisfies Route;

/** Get plant: the one with an id. */
export const definition = {
  scope: 'read',
  tag: 'plants',
  summary: 'Get plant',
  description:
    'The plant with this id. What it shows is durable: neither a crash nor a failover takes it back.',
  request: { path: { id: 'Int64Parameter' } },
  replies: {
    200: { description: 'The plant', body: 'StoredPlant' },
    400: {
      description: 'The id is not an integer in its shortest decimal notation',
      errors: ['bad_request'],
    },
    404: { description: 'No plant has this id', errors: ['plant_not_found'] },
    503: { description: 'The service cannot read plants at the moment' },
  },
} as const satisfies Definition<(typeof route.statuses)[number]>;
