import type { Definition, Route } from '../operation.js';

export const route = {
  method: 'POST',
  path: '/plants/batch',
  statuses: [200, 400, 401, 403, 429, 500, 503],
  idempotent: true,
} as const satisfies Route;

/** Create plants: up to 1,000 with one request. */
export const definition = {
  scope: 'create',
  tag: 'plants',
  summary: 'Create plants',
  description:
    'Creates up to 1,000 plants. Each has a result of its own, in the order sent: 200 once it is stored, durably, ' +
    'otherwise the number and the message that a request of its own would have been answered with. One that is not ' +
    'stored, such as one that is not valid, stops none of the others: the reply is 200 all the same. Any part of a ' +
    'batch can be retried safely.',
  request: { body: 'NewPlants' },
  replies: {
    200: { description: 'The result of each plant', body: 'CreateResults' },
    400: {
      description: 'Something is wrong with the request as a whole; nothing was stored',
      errors: [
        'bad_request',
        'malformed_json',
        'invalid_plant',
        'unsupported_content_type',
        'body_too_large',
        'batch_too_large',
      ],
    },
    503: { description: 'The service cannot store plants at the moment; nothing was stored' },
  },
} as const satisfies Definition<(typeof route.statuses)[number]>;
