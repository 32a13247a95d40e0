import type { routes } from './routes.js';

/** What the OpenAPI document says of an operation besides what the contract has. */
export interface OperationTexts<Statuses extends number = number> {
  /** The group that it belongs to. */
  readonly tag: 'plants' | 'tokens';
  readonly description: string;
  /** The replies of all statuses but those that every operation describes in the same words. */
  readonly replies: {
    readonly [Status in Exclude<Statuses, keyof typeof commonReplies>]: ReplyTexts;
  } & { readonly 304?: ReplyTexts; readonly 403?: ReplyTexts; readonly 412?: ReplyTexts };
}

/** A reply as the OpenAPI document describes it. */
export interface ReplyTexts {
  readonly description: string;
  /** The headers that it may bear besides those that every reply of its status may bear. */
  readonly headers?: readonly HeaderName[];
}

/** The name of a header that a reply may bear besides `X-Request-Id`, which each has. */
export type HeaderName =
  | 'ETag'
  | 'Idempotent-Replayed'
  | 'Retry-After'
  | 'RateLimit'
  | 'RateLimit-Policy'
  | 'WWW-Authenticate';

/** The replies that do not depend on the operation. */
export const commonReplies = {
  401: { description: 'The access token is missing or not valid' },
  403: { description: 'The access token does not permit this' },
  429: { description: 'Too many requests' },
  500: { description: 'An error of the service' },
} as const satisfies Record<number, ReplyTexts>;

export const texts: {
  readonly [Name in keyof typeof routes]: OperationTexts<(typeof routes)[Name]['statuses'][number]>;
} = {
  createPlant: {
    tag: 'plants',
    description:
      'Creates a new plant in the store. The id is also the key of the request: the same plant again is ' +
      'answered 200 again and stored once, so a create can always be retried safely. The `ETag` of the reply is that of the plant ' +
      'as it was created: send it as `If-Match` to update the plant without reading it first.',
    replies: {
      200: {
        description: 'The plant response: the plant is stored, durably',
        headers: ['ETag', 'Idempotent-Replayed'],
      },
      400: {
        description: 'Something is wrong with the request itself; nothing was stored',
      },
      503: { description: 'The service cannot store plants at the moment' },
    },
  },

  createPlants: {
    tag: 'plants',
    description:
      'Creates up to 1,000 plants. Each has a result of its own, in the order sent: 200 once it is stored, durably, otherwise ' +
      'the number and the message that a request of its own would have been answered with. One that is not stored, such as one ' +
      'that is not valid, stops none of the others: the reply is 200 all the same. Any part of a batch can be retried safely.',
    replies: {
      200: { description: 'The result of each plant' },
      400: {
        description: 'Something is wrong with the request as a whole; nothing was stored',
      },
      503: { description: 'The service cannot store plants at the moment; nothing was stored' },
    },
  },

  getPlants: {
    tag: 'plants',
    description:
      'The plants with up to 1,000 ids. Each id has a result of its own, in the order sent: 200 with the plant, otherwise the ' +
      'number and the message that a request of its own would have been answered with. What it shows is durable. A reply has at ' +
      'most 4 MiB of text, or one plant: ids that are left over have the status 503, and are to be sent again.',
    replies: {
      200: { description: 'The result of each id' },
      400: { description: 'Something is wrong with the request as a whole' },
      503: { description: 'The service cannot read plants at the moment' },
    },
  },

  deletePlants: {
    tag: 'plants',
    description:
      'Deletes the plants with up to 1,000 ids. Each id has a result of its own, in the order sent: 204 once its plant is deleted, ' +
      'durably, or if it was deleted before; otherwise the number and the message that a request of its own would have been ' +
      'answered with. One that is not deleted stops none of the others. Any part of a batch can be retried safely.',
    replies: {
      200: { description: 'The result of each id' },
      400: {
        description: 'Something is wrong with the request as a whole; nothing was deleted',
      },
      503: { description: 'The service cannot delete plants at the moment; nothing was deleted' },
    },
  },

  updatePlant: {
    tag: 'plants',
    description:
      'Replaces the name and the tag of the plant with this id, durably, if it is still the one whose `ETag` is sent as ' +
      '`If-Match`. A retry of the create is answered as before, and reverts nothing. A plant that is already as sent is answered ' +
      '200, so an update can be retried. `If-None-Match: *` reuses the ID of a deleted plant for a new one. **A request needs ' +
      '`If-Match` or `If-None-Match`, which OpenAPI cannot express**: without both it is answered 400. Both accept an `ETag` that ' +
      'a proxy has changed, such as `W/"…"` or `"…-gzip"`.',
    replies: {
      200: { description: 'The plant as it is now, durably', headers: ['ETag'] },
      400: {
        description: 'Something is wrong with the request itself; nothing was changed',
      },
      404: {
        description: 'No plant has this id, or with `If-None-Match: *` none has ever had it',
      },
      412: {
        description:
          'The plant is not the one that `If-Match` names, or it is one that `If-None-Match` names; nothing was changed',
      },
      503: { description: 'The service cannot update plants at the moment' },
    },
  },

  deletePlant: {
    tag: 'plants',
    description:
      'Deletes the plant with this id, durably: its name and tag are erased, and its id stays taken, so that no late ' +
      'retry brings it back. A plant that was deleted before is answered 204 again. With `If-Match` it is deleted only if it is still ' +
      'the one with that `ETag`, with `If-None-Match` only if it is another one.',
    replies: {
      204: { description: 'The plant is deleted, durably' },
      400: {
        description: 'The id is not an integer in its shortest decimal notation, or a condition is not valid',
      },
      404: { description: 'No plant has ever had this id' },
      412: {
        description:
          'The plant is not the one that `If-Match` names, or it is one that `If-None-Match` names; nothing was deleted',
      },
      503: { description: 'The service cannot delete plants at the moment' },
    },
  },

  getPlant: {
    tag: 'plants',
    description:
      'The plant with this id. What it shows is durable: neither a crash nor a failover takes it back.',
    replies: {
      200: { description: 'The plant', headers: ['ETag'] },
      304: {
        description: 'The plant is the one whose `ETag` was sent as `If-None-Match`',
        headers: ['ETag'],
      },
      400: {
        description: 'The id is not an integer in its shortest decimal notation, or `If-Match` is not valid',
      },
      404: { description: 'No plant has this id' },
      412: {
        description: 'The plant is not the one that `If-Match` names',
      },
      503: { description: 'The service cannot read plants at the moment' },
    },
  },

  listPlants: {
    tag: 'plants',
    description:
      'A page of the plants, and `next`, with which the following page is requested; the last page has none. A request ' +
      'examines a bounded number of plants, so a page may be short, or even empty, before the last one: with a filter, or where plants were deleted. ' +
      'No plant is on two pages, and none that was there from the beginning is left out; one that is added meanwhile may be ' +
      'on a later page. What it shows is durable.',
    replies: {
      200: { description: 'A page of plants' },
      400: { description: 'A parameter is not valid' },
      503: { description: 'The service cannot read plants at the moment' },
    },
  },

  listTags: {
    tag: 'plants',
    description:
      'How many plants have each tag. A request examines a bounded number of plants, and counts these alone: the sums over all ' +
      'pages are the numbers, and only a page without `next` is the last one. Plants without a tag are not counted. A plant that ' +
      'is added or changed meanwhile may or may not be counted.',
    replies: {
      200: { description: 'A page of tags' },
      400: { description: 'A parameter is not valid' },
      503: { description: 'The service cannot read plants at the moment' },
    },
  },

  listChanges: {
    tag: 'plants',
    description:
      'What was created, updated and deleted, in one order that never changes, and `next`, with which the following page is ' +
      'requested, at any time. Each plant is listed once, at the place of its last change: whoever follows gets the latest ' +
      'state of each plant, and never an older one after it. What it shows is durable. With `wait` the reply waits until ' +
      'there is a change.',
    replies: {
      200: { description: 'A page of changes' },
      400: {
        description:
          'A parameter is not valid, or `after` is from before the plant store was restored: read everything again with `after=0`',
      },
      501: { description: 'The plant store is distributed and has no order of changes' },
      503: { description: 'The service cannot read changes at the moment' },
    },
  },

  getOwnToken: {
    tag: 'tokens',
    description:
      'What the token of the request permits, and until when. It needs no scope: a program that was given a token finds out what ' +
      'it may do before it tries.',
    replies: {
      200: { description: 'The token, without its text' },
      400: { description: 'There are no parameters' },
      503: { description: 'The service cannot look tokens up at the moment' },
    },
  },

  listTokens: {
    tag: 'tokens',
    description:
      'All access tokens of the service that are valid, and the latest 1,000 that were revoked or have expired, in the order of their ids, without their texts. No token is created or rotated over HTTP while 1,000 are valid.',
    replies: {
      200: { description: 'The tokens' },
      400: { description: 'There are no parameters' },
      503: { description: 'The service cannot read tokens at the moment' },
    },
  },

  createToken: {
    tag: 'tokens',
    description:
      'Creates an access token, and shows its text, this once. It may give no more than the token of the request has: no other ' +
      'scopes, no later expiry, no higher rate. Each request creates one, so it must not be retried without a look at the list.',
    replies: {
      200: { description: 'The token, with its text' },
      400: { description: 'The request is not valid' },
      403: { description: 'The access token does not permit this, or may not give so much' },
      503: { description: 'The service cannot store tokens at the moment' },
    },
  },

  rotateToken: {
    tag: 'tokens',
    description:
      'Creates a token that replaces another one, with its name, scopes and rate, and makes the other one expire. The token of ' +
      'the request must have all that the other one has. Like a create it must not be retried without a look at the list.',
    replies: {
      200: { description: 'The new token, with its text' },
      400: { description: 'The request is not valid' },
      403: { description: 'The access token does not permit this, or may not give so much' },
      404: { description: 'No token has this id' },
      503: { description: 'The service cannot store tokens at the moment' },
    },
  },

  revokeToken: {
    tag: 'tokens',
    description:
      'Revokes a token for good, also the token of the request itself: within 5 seconds no instance accepts it any more. It may ' +
      'permit what the token of the request does not. One that is revoked already stays so.',
    replies: {
      204: { description: 'It is revoked' },
      400: { description: 'The id, or a parameter, is not valid' },
      404: { description: 'No token has this id' },
      503: { description: 'The service cannot store tokens at the moment' },
    },
  },
};
