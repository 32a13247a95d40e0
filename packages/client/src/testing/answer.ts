import { type Conditions, findFailedCondition, isEntityTags } from '@plant-store/contract/conditions';
import { messages } from '@plant-store/contract/messages';
import type { routes } from '@plant-store/contract/routes';
import { type Handler, handlers, type RequestState, type StoreState } from './handlers.js';
import { authenticate, findOperation, readRequest, requireScope, type ValidRequest } from './read-request.js';
import { errorReply, jsonReply, type Reply, ServiceError } from './reply.js';

/** A request with its body read to the end. */
export interface ReadRequest {
  /** Names the request in its reply. */
  readonly id: string;
  readonly method: string;
  /** The path below the base address. */
  readonly path: string;
  /** The query, without its question mark. */
  readonly query: string;
  readonly headers: Headers;
  readonly body: Uint8Array;
}

/**
 * Answers a request as the service does. Errors are reported in its order: path, method, token, scope, content type, size,
 * JSON, shape, and then those of the operation.
 */
export function answer(request: ReadRequest, state: StoreState): Reply {
  const reply = answerWithBody(request, state);
  return request.method === 'HEAD' ? { ...reply, body: '' } : reply;
}

function answerWithBody(request: ReadRequest, state: StoreState): Reply {
  try {
    const { name, params } = findOperation(request.method, request.path);
    const own = authenticate(request.headers, state);
    requireScope(name, own.scopes);
    const valid = readRequest(name, { ...request, params });
    const conditions = name === 'getPlant' ? readConditions(request.headers) : {};
    const { status, body, headers } = handle(name, valid, { ...state, own });
    const failed = findFailedCondition(conditions, headers?.['ETag'] ?? '');
    if (failed === 'if-match')
      throw new ServiceError('precondition_failed', messages.plantChanged(BigInt(params['id'] ?? 0)));
    if (failed === 'if-none-match') return jsonReply(request.id, 304, undefined, headers);
    return jsonReply(request.id, status, body, headers);
  } catch (error) {
    if (error instanceof ServiceError) return errorReply(request.id, error);
    throw error;
  }
}

/** The conditions of a get. @throws {ServiceError} `bad_request` when `If-Match` is not valid */
function readConditions(headers: Headers): Conditions {
  const [match, noneMatch] = ['if-match', 'if-none-match'].map((name) => headers.get(name) ?? undefined);
  if (!isEntityTags(match ?? '*')) throw new ServiceError('bad_request', messages.invalidIfMatch);
  return { 'if-match': match, 'if-none-match': noneMatch };
}

function handle<Name extends keyof typeof routes>(
  name: Name,
  request: ValidRequest<Name>,
  state: RequestState,
): ReturnType<Handler<Name>> {
  return handlers[name](request, state);
}
