import type { ErrorName } from './errors.js';
import type { routes } from './routes.js';

/** The errors that every operation can return, by their status. */
const common = {
  400: ['bad_request'],
  401: ['missing_token', 'invalid_token'],
  403: ['insufficient_scope'],
  429: ['rate_limited'],
  500: ['internal_error'],
  503: [
    'overloaded',
    'database_unavailable',
    'shutting_down',
    'database_damaged',
    'identity_provider_unavailable',
  ],
} as const;

const body = ['bad_request', 'malformed_json', 'unsupported_content_type', 'body_too_large'] as const;
const batch = { ...common, 400: [...body, 'invalid_plant', 'batch_too_large'] } as const;
const condition = { 404: ['plant_not_found'], 412: ['precondition_failed'] } as const;
const issue = { ...common, 403: ['insufficient_scope', 'exceeds_issuer'] } as const;

/**
 * The errors that each operation can return, by their status. The OpenAPI document and the types of the client derive from this table.
 */
export const operationErrors = {
  createPlant: { ...common, 400: [...body, 'invalid_plant', 'id_taken', 'id_retired'] },
  getPlant: { ...common, ...condition },
  listPlants: common,
  createPlants: batch,
  getPlants: batch,
  deletePlants: batch,
  updatePlant: { ...common, ...condition, 400: [...body, 'invalid_plant', 'precondition_required'] },
  deletePlant: { ...common, ...condition },
  listTags: common,
  listChanges: { ...common, 400: ['bad_request', 'cursor_expired'], 501: ['changes_unsupported'] },
  getOwnToken: common,
  listTokens: common,
  createToken: { ...issue, 400: [...body, 'invalid_token_request'] },
  rotateToken: {
    ...issue,
    400: [...body, 'invalid_token_request', 'token_inactive'],
    404: ['token_not_found'],
  },
  revokeToken: { ...common, 404: ['token_not_found'] },
} as const satisfies Record<keyof typeof routes, Readonly<Record<number, readonly ErrorName[]>>>;
