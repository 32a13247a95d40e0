import type { Definition, Route } from '../operation.js';

export const route = {
  method: 'GET',
  path: '/plants',
  statuses: [200, 400, 401, 403, 429, 500, 503],
  idempotent: true,
} as const satisfies Route;

/** List plants, page by page. */
export const definition = {
  scope: 'read',
  tag: 'plants',
  summary: 'List plants',
  description:
    'A page of the plants, and `next`, with which the following page is requested; the last page has none. A request ' +
    'examines a bounded number of plants, so a page may be short, or even empty, before the last one: with a filter, or where plants were deleted. ' +
    'No plant is on two pages, and none that was there from the beginning is left out; one that is added meanwhile may be ' +
    'on a later page. What it shows is durable.',
  request: { query: 'PlantQuery' },
  replies: {
    200: { description: 'A page of plants', body: 'PlantPage' },
    400: { description: 'A parameter is not valid', errors: ['bad_request'] },
    503: { description: 'The service cannot read plants at the moment' },
  },
} as const satisfies Definition<(typeof route.statuses)[number]>;
