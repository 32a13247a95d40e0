import type { ErrorNumber } from '@plant-store/contract/errors';
import type { RejectedError } from './rejected-error.js';

/** What a reply of any operation has; those of a `Client` are such replies. */
export interface AnyReply {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Headers;
  readonly requestId: string | null;
}

/** The replies that are not a success: with a body `{ error, message }`. */
export interface FailedReply extends AnyReply {
  readonly body: { readonly error: number; readonly message: string };
}

type SuccessStatus = 200 | 201 | 202 | 204;

/** Of a union of replies, the successful ones (RFC 9110, section 15.3). */
export type SuccessOf<Reply> = Extract<Reply, { readonly status: SuccessStatus }>;

/** What a successful reply of a union has as its body, such as the plant. */
export type BodyOf<Reply> = Reply extends { readonly status: SuccessStatus; readonly body: infer Body }
  ? Body
  : never;

/** Errors by their numbers: a union that narrows by `number` and by `status`. */
export type RejectionOf<Listed> = Listed extends ErrorNumber ? RejectedError<Listed> : never;

/** What a reply of a union is thrown as, unless it is a success. */
export type RejectionsOf<Reply> = Reply extends { readonly status: SuccessStatus }
  ? never
  : Reply extends { readonly body: { readonly error: infer Listed } }
    ? RejectionOf<Listed>
    : never;
