import fc from 'fast-check';

/** A method that creates nothing. */
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
 * (docs/api.md, Requests).
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
