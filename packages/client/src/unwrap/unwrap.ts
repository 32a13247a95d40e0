import { RejectedError } from './rejected-error.js';
import type { AnyReply, BodyOf, FailedReply, SuccessOf } from './reply.js';

/**
 * The body of a successful reply, such as the plant.
 *
 * Takes the reply of any operation or the promise of one, which a call returns.
 *
 * @throws {RejectedError} when the reply is not a success. What the promise rejects with is thrown unchanged.
 *
 * @example
 * import { createClient } from '@plant-store/client';
 * import { unwrap } from '@plant-store/client/unwrap';
 *
 * const client = createClient({ baseUrl: 'http://127.0.0.1:3000', token: 'pst_…' });
 * const plant = await unwrap(client.createPlant({ body: { id: 1, name: 'Monstera deliciosa' } }));
 */
export function unwrap<Given extends AnyReply | Promise<AnyReply>>(reply: Given): Unwrapped<Given>;
export function unwrap(reply: AnyReply | Promise<AnyReply>): unknown {
  return 'then' in reply ? reply.then(ensureSuccess).then(bodyOf) : bodyOf(ensureSuccess(reply));
}

/** The body of a reply, or the promise of one for the promise of a reply. */
type Unwrapped<Given> = Given extends Promise<infer Reply> ? Promise<BodyOf<Reply>> : BodyOf<Given>;

/**
 * A successful reply, with its type narrowed to one: for what `unwrap` leaves out, such as `replayed`.
 *
 * @throws {RejectedError} when the reply is not a success
 */
export function ensureSuccess<Reply extends AnyReply>(reply: Reply): SuccessOf<Reply> {
  // The client returns no other than Error bodies for a status beyond 299.
  if (reply.status > 299) throw new RejectedError(reply as unknown as FailedReply);
  return reply as SuccessOf<Reply>;
}

function bodyOf({ body }: AnyReply): unknown {
  return body;
}
