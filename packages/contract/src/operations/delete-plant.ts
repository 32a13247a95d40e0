import type { Definition, Route } from '../operation.js';

export const route = {
  method: 'DELETE',
  path: '/plants/:id',
  statuses: [204, 400, 401, 403, 404, 429, 500, 503],
  idempotent: true,
} as const satisfies Route;

/** Delete plant: the one with an id. */
export const definition = {
  scope: 'delete',
  tag: 'plants',
  summary: 'Delete plant',
  description:
    'Deletes the plant with this id, durably: its name and tag are erased, and its id stays taken for good, so that no late ' +
    'retry brings it back. A plant that was deleted before is answered 204 again.',
  request: { path: { id: 'Int64Parameter' } },
  replies: {
    204: { description: 'The plant is deleted, durably' },
    400: {
      description: 'The id is not an integer in its shortest decimal notation',
      errors: ['bad_request'],
    },
    404: { description: 'No plant has ever had this id', errors: ['plant_not_found'] },
    503: { description: 'The service cannot delete plants at the moment' },
  },
} as const satisfies Definition<(typeof route.statuses)[number]>;
