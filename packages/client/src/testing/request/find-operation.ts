import { messages } from '@plant-store/contract/messages';
import { allowedMethods, type MatchedOperation, matchPath } from '@plant-store/contract/request-target';
import type { routes } from '@plant-store/contract/routes';
import { ServiceError } from '../service-error.js';

/**
 * Finds the operation that a request names, with the parameters in its path decoded.
 *
 * @throws {ServiceError} `not_found`, `bad_request` or `method_not_allowed`
 */
export function findOperation(method: string, path: string): MatchedOperation<keyof typeof routes> {
  const operations = matchPath(path);
  if (operations.length === 0) {
    throw new ServiceError('not_found', messages.notFound(path));
  }
  const decoded = operations.map((operation) => ({ ...operation, params: decodeParams(operation.params) }));
  const servedBy = method === 'HEAD' ? 'GET' : method;
  const operation = decoded.find((candidate) => candidate.method === servedBy);
  if (operation !== undefined) return operation;
  const allowed = allowedMethods(operations);
  const message = messages.methodNotAllowed(method, path, allowed);
  throw new ServiceError('method_not_allowed', message, { Allow: allowed.join(', ') });
}

function decodeParams(params: Readonly<Record<string, string>>): Record<string, string> {
  try {
    return Object.fromEntries(Object.entries(params).map(([name, text]) => [name, decodeURIComponent(text)]));
  } catch {
    throw new ServiceError('bad_request', messages.invalidPath);
  }
}
