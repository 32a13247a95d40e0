import { plantFilters } from '@plant-store/contract/fields';
import fc from 'fast-check';
import { sharedId, uniqueId } from './json-text.js';

/** A method other than POST. */
export const method = fc.constantFrom(
  'GET',
  'HEAD',
  'PUT',
  'DELETE',
  'OPTIONS',
  'PATCH',
  'QUERY',
  'TRACE',
  'post',
  'FOO',
  'PRI',
);

/** A request target, of any form. */
export const target = fc.constantFrom(
  ...[
    '/',
    '/Plants',
    '/plants/',
    '/plants?x=1',
    '/plants?',
    '/%70lants',
    '//plants',
    '/plants/1',
    '/plants/x',
    '/plants/batch',
    '/plants/%',
    '/plants?limit=5&order=newest',
    '/plants?limit=0',
    '/nothing',
  ],
  ...[
    'http://localhost/plants',
    'HTTPS://a.example:443/plants?x',
    'http://u:p@a/plants',
    'ftp://a/plants',
    '*',
  ],
  ...[
    'plants',
    'localhost:80',
    '/openapi.json',
    '/docs',
    '/plants\\',
    '/../plants',
    '/plants#a',
    '/plants;a=1',
    '/livez',
  ],
);

/**
 * A line that is added to a head. Not a complete request to upgrade: what comes right behind one may be ignored
 * (docs/use/api.md, Requests).
 */
export const header = fc.constantFrom(
  ...[
    'X-Request-Id: abc-123',
    'X-Request-Id: not valid',
    'X-Request-Id: ',
    'X-Request-Id: TOKEN',
    'Accept: text/html',
  ],
  ...[
    'Connection: close',
    'Connection: keep-alive',

    'Upgrade: h2c',
    'Expect: 100-continue',
  ],
  ...[
    'Content-Encoding: gzip',
    'Content-Encoding: identity',
    'Content-Type: text/plain',
    'Host: b',
    'Origin: http://a',
  ],
  ...[
    'Transfer-Encoding: chunked',
    'Transfer-Encoding: gzip, chunked',
    'Content-Length: 5',
    'Content-Length: -1',
    'X: a\r\n b',
  ],
  ...[
    'Authorization: Basic eDp5',
    'Authorization: Bearer TOKEN',
    'Cookie: a=b',
    'X-Forwarded-For: 1.2.3.4',
    'X : a',
    ': a',
  ],
  ...[
    'X: \u00ff',
    'X: \u0000',
    'X: \t',
    'Forwarded: for=_x',
    'traceparent: 00-zz',
    'If-None-Match: *',
    'Range: bytes=0-1',
  ],
);

/** A value of `Content-Type`. */
export const contentType = fc.constantFrom(
  ...[
    'application/json',
    'APPLICATION/JSON',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
  ],
  ...[
    'application/json; charset=latin1',
    'application/json; x=1',
    'application/json;',
    'application/jsonp',
    'text/json',
  ],
  ...[
    'application/vnd.api+json',
    '',
    'application/json, text/plain',
    'application/json; charset=utf-8; charset=utf-16',
  ],
);

/** A value of `Authorization`. */
export const authorization = fc.constantFrom(
  ...[
    'Bearer TOKEN',
    'bearer TOKEN',
    'BEARER TOKEN',
    'Bearer  TOKEN',
    'Bearer TOKENx',
    'Bearer xTOKEN',
    'Bearer',
    'TOKEN',
  ],
  ...['Bearer pst_', 'Basic TOKEN', 'Bearer\tTOKEN', 'Bearer TOKEN TOKEN', '', 'Bearer \u00e9'],
);

const pathId = fc.oneof(
  { weight: 3, arbitrary: sharedId },
  fc.constant(uniqueId),
  fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n }).map(String),
  fc.constantFrom(
    '0',
    '-0',
    '01',
    '+1',
    '1.0',
    '1e3',
    'x',
    '%31',
    '%00',
    '%E0%A4%A',
    '9223372036854775807',
    '-9223372036854775808',
    'batch',
  ),
);

const parameter = fc.oneof(
  fc.constantFrom(
    'limit=1',
    'limit=1000',
    'limit=1001',
    'limit=0',
    'limit=x',
    'order=id',
    'order=newest',
    'order=x',
  ),
  fc.constantFrom(
    ...plantFilters.flatMap((name) => [`${name}=`, `${name}=a`, `${name}=%zz`]),
    'q=a',
    'q=%00',
    'q=%F0%9F%8C%B1',
    'q=%',
    'q=%FF',
    'x=%FF',
    '%71=a',
    'q=%EF%BF%BD',
    'q=a=%ff',
    'after=',
    'after=1.x..1',
    'x=1',
    'limit',
    '&',
    '=',
  ),
  fc
    .tuple(
      fc.constantFrom('q', 'after', ...plantFilters),
      fc.constantFrom('a', '.', '%C3%A9', '%F0%9F%8C%B1'),
    )
    .chain(([name, character]) =>
      fc.constantFrom(99, 100, 101, 1_000, 1_001).map((length) => `${name}=${character.repeat(length)}`),
    ),
  fc.string({ maxLength: 8 }).map((text) => `q=${encodeURIComponent(text.toWellFormed())}`),
);

/** The target of one plant. */
export const plantTarget = pathId.map((id) => `/plants/${id}`);

/** The target of a list. */
export const listTarget = fc
  .array(parameter, { maxLength: 3 })
  .map((parameters) => `/plants?${parameters.join('&')}`);
