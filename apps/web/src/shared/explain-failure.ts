import {
  isNetworkError,
  isPlantStoreError,
  isRejectedError,
  isTimeoutError,
  isUnexpectedResponseError,
  type RejectedError,
} from '@plant-store/client';
import type { ErrorName, ErrorNumber } from '@plant-store/contract/errors';
import type { ResourceName } from '@plant-store/contract/resources';
import { adviseReload } from './page-storage.js';

/** The purpose of a request, which determines what might have happened if no reply came. */
export type Purpose = 'add' | 'change' | 'read';

/** Explains to a person why a request failed or might have failed, and what to do. */
export interface Failure {
  /**
   * What the failure is about:
   * - `id`: the ID is taken.
   * - `plant`: something else about the plant.
   * - `token`: the access token. Nothing works until it is replaced.
   * - `scope`: what the token permits.
   * - `later`: the service or the network. The same request can succeed later.
   */
  readonly about: 'id' | 'plant' | 'token' | 'scope' | 'later';
  /** What happened, and what to do. */
  readonly message: string;
  /** Only what happened, for requests that the page retries. */
  readonly cause: string;
}

/** What an explanation of a rejection can use. */
interface Rejection {
  readonly purpose: Purpose;
  /** The service's message. */
  readonly message: string;
  /** When to try again, such as `in 5 seconds`. */
  readonly wait: string;
  /** A text about what the request might have done, and that retrying is safe. */
  readonly uncertain: string;
  /** A sentence that retrying is safe. Empty for a read. */
  readonly safe: string;
  /** A sentence about what to report if the error happens again. */
  readonly report: string;
}

/** What a registered error is about, and a function that returns what happened and what to do. Default: the service's message. */
type Explanation = readonly [
  about: Failure['about'],
  explain?: (rejection: Rejection) => readonly [cause: string, ...advice: string[]],
];

const safe = 'Trying again is safe.';
const uncertain: Readonly<Record<Purpose, string>> = {
  add: `The plant may have been saved. ${safe}`,
  change: `The change may have been saved. ${safe}`,
  read: '',
};
const pageError: Explanation = [
  'plant',
  ({ message, report }) => [
    `The server could not read the request: ${message}`,
    'Reload the page: the server may have been upgraded.',
    report,
  ],
];
const addressError: Explanation = [
  'later',
  ({ message }) => [
    `This address does not accept plants: ${message}`,
    'Ask your administrator for the right address.',
  ],
];
const tokenError: Explanation = ['token', ({ message }) => [message, 'Nothing you typed is lost.']];

/** The errors about records of other resources, which this page never requests. */
type OtherErrorName = {
  [Name in Exclude<ResourceName, 'plant'>]: `invalid_${Name}` | `${Name}_not_found`;
}[Exclude<ResourceName, 'plant'>];

type Explanations = Readonly<
  Record<ErrorNumber<Exclude<ErrorName, OtherErrorName>>, Explanation> &
    Partial<Record<ErrorNumber, Explanation>>
>;

/** Keyed by error number, because importing the table of error names would also load all their messages. */
const explanations: Explanations = {
  // bad_request, malformed_json, unsupported_content_type, batch_too_large, precondition_required, and changes_unsupported
  40000: pageError,
  40001: pageError,
  40004: pageError,
  40006: pageError,
  40008: pageError,
  50100: pageError,
  // invalid_plant
  40002: ['plant'],
  // id_taken
  40003: ['id', () => ['Another plant has this ID.', 'Choose another ID.']],
  // body_too_large
  40005: [
    'plant',
    ({ message }) => [
      `This plant is too large. ${message.replace('Send a smaller one.', '').trim()}`,
      'Shorten its text.',
    ],
  ],
  // id_retired
  40007: ['id', () => ['This ID belonged to a deleted plant.', 'Choose another ID.']],
  // invalid_token_request and token_inactive
  40009: ['plant'],
  40010: ['plant'],
  // cursor_expired
  40011: ['plant', () => ['The plants were restored from a backup.', 'Reload the page.']],
  // missing_token and invalid_token
  40100: tokenError,
  40101: tokenError,
  // insufficient_scope and exceeds_issuer
  40300: ['scope'],
  40301: ['scope'],
  // not_found and method_not_allowed
  40400: addressError,
  40500: addressError,
  // plant_not_found and token_not_found
  40401: ['plant'],
  40402: ['plant'],
  // precondition_failed
  41200: [
    'plant',
    () => ['Someone else changed this plant.', 'Review the new version, then decide whether to try again.'],
  ],
  // rate_limited
  42900: ['later', ({ wait }) => ['Too many requests.', `Try again ${wait}.`]],
  // internal_error
  50000: [
    'later',
    (rejection) => ['Something went wrong on the server.', rejection.uncertain, rejection.report],
  ],
  // overloaded
  50300: ['later', (rejection) => ['The server is busy.', `Try again ${rejection.wait}.`, rejection.safe]],
  // database_unavailable
  50301: [
    'later',
    (rejection) => ['The database is not responding.', `Try again ${rejection.wait}.`, rejection.uncertain],
  ],
  // shutting_down
  50302: [
    'later',
    (rejection) => ['The server is restarting.', `Try again ${rejection.wait}.`, rejection.safe],
  ],
  // database_damaged
  50303: [
    'later',
    ({ purpose }) => [
      `The database is damaged${purpose === 'read' ? '' : ' and cannot save changes'}.`,
      'Ask your administrator to restore it. Trying again will not help until then.',
    ],
  ],
  // identity_provider_unavailable
  50304: ['later', ({ wait }) => ['The server cannot check your access right now.', `Try again ${wait}.`]],
};

/** The numbers of all errors that this version can explain. */
export const errorNumbers = Object.keys(explanations).map(Number) as readonly ErrorNumber[];

/** Explains an error that a client call throws, or why the service rejected one plant of a batch. */
export function explainFailure(error: unknown, purpose: Purpose): Failure {
  return isRejectedError(error) || isRejection(error)
    ? explainRejection(error, purpose)
    : explainError(error, navigator.onLine, purpose);
}

/** The details of a rejection. For one plant of a batch, only the error number and the message are known. */
type Rejected = Pick<RejectedError, 'message' | 'requestId' | 'retryAfterMs'> & { readonly error: number };

const isRejection = (error: unknown): error is Pick<Rejected, 'error' | 'message'> =>
  !(error instanceof Error) && typeof Object(error).error === 'number';

/** Explains a rejection. If the error number is unknown, uses the service's message. */
export function explainRejection(
  rejection: Pick<Rejected, 'error' | 'message'> & Partial<Rejected>,
  purpose: Purpose = 'add',
): Failure {
  const { error, message, requestId = null, retryAfterMs = 0 } = rejection;
  const seconds = Math.ceil(retryAfterMs / 1000);
  const explanation: Explanation | undefined = explanations[error as ErrorNumber];
  const [about, explain = () => [message] as const] = explanation ?? ['later'];
  const wait = seconds > 1 ? `in ${seconds} seconds` : 'in a moment';
  const report =
    requestId === null ? '' : `If this happens again, give your administrator the request ID ${requestId}.`;
  const safety = { safe: purpose === 'read' ? '' : safe, uncertain: uncertain[purpose] };
  const sentences = explain({ purpose, message, wait, report, ...safety });
  return { about, message: joinSentences(sentences), cause: sentences[0] };
}

/** Explains an error that a client call throws, other than a rejection. */
export function explainError(error: unknown, isOnline = navigator.onLine, purpose: Purpose = 'add'): Failure {
  const [cause, advice = ''] = explainThrown(error, isOnline);
  const isNotStored = isPlantStoreError(error) && error.outcome !== 'unknown';
  return {
    about: 'later',
    message: joinSentences([cause, isNotStored ? '' : uncertain[purpose], advice]),
    cause,
  };
}

const joinSentences = (sentences: readonly string[]) =>
  sentences.filter((sentence) => sentence !== '').join(' ');

function explainThrown(error: unknown, isOnline: boolean): readonly [cause: string, advice?: string] {
  if (isTimeoutError(error)) return ['The server did not respond in time.'];
  if (isNetworkError(error)) {
    return isOnline
      ? ['The connection to the server failed.']
      : ['This device is offline.', 'Connect, then try again.'];
  }
  if (isUnexpectedResponseError(error)) {
    return [`A proxy or another program replied instead of the server (status ${error.status}).`];
  }
  const message = error instanceof Error ? error.message : String(error);
  return [`This page stopped working: ${message}.`, adviseReload()];
}
