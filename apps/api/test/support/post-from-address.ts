import { type Agent, request } from 'node:http';
import { json } from 'node:stream/consumers';
import type { Reply } from './expect-error.js';

/** A request that creates a plant, and where it comes from. */
export interface AddressedRequest {
  /** The address that it comes from, of the loopback network. */
  readonly from: string;
  readonly id: number;
  readonly token?: string | undefined;
  readonly forwardedFor?: string | undefined;
  /** The connections to use; a new one by default. */
  readonly agent?: Agent;
}

/** Creates a plant from an address of this machine. */
export function postFromAddress(
  baseUrl: string,
  { from, id, token, forwardedFor, agent }: AddressedRequest,
): Promise<Reply> {
  const headers = {
    'Content-Type': 'application/json',
    ...(token !== undefined && { Authorization: `Bearer ${token}` }),
    ...(forwardedFor !== undefined && { 'X-Forwarded-For': forwardedFor }),
  };
  return new Promise((resolve, reject) => {
    const sent = request(
      `${baseUrl}/plants`,
      { method: 'POST', localAddress: from, headers, agent: agent ?? false },
      (response) => {
        const { statusCode: status = 0, headers } = response;
        json(response).then(
          (body) => resolve({ status, headers: headers as Reply['headers'], body }),
          reject,
        );
      },
    );
    sent.on('error', reject);
    sent.end(JSON.stringify({ id, name: 'Fern' }));
  });
}
