import type { Definition, Route } from '../operation.js';

export const route = {
  method: 'POST',
  path: '/plants',
  statuses: [200, 400, 401, 403, 429, 500, 503],
  idempotent: true,
} as const satisfies Route;

/** Create plant (API: Endpoints). */
export const definition = {
  scope: 'create',
  tag: 'plants',
  summary: 'Create plant',
  description:
    'Creates a new plant in the store. The id is also the key of the request: the same plant again is ' +
    'answered 200 again and stored once, so a create can always be retried safely.',
  request: { body: 'NewPlant' },
  replies: {
    200: {
      description: 'The plant response: the plant is stored, durably',
      body: 'Plant',
      headers: ['Idempotent-Replayed'],
      links: { getPlant: { id: '$request.body#/id' }, deletePlant: { id: '$request.body#/id' } },
    },
    400: {
      description: 'Something is wrong with the request itself; nothing was stored',
      errors: [
        'bad_request',
        'malformed_json',
        'invalid_plant',
        'id_taken',
        'id_retired',
        'unsupported_content_type',
        'body_too_large',
      ],
    },
    503: { description: 'The service cannot store plants at the moment' },
  },
} as const satisfies Definition<(typeof route.statuses)[number]>;
