/**
 * What a service makes of bytes on a connection of its own: the status of each success, and the number of each error, in the order
 * of the replies.
 */
export type Replies = readonly number[];

/** Whether the connection takes another request then, the service closes it, or the client has to end its side before the reply. */
export type End = 'open' | 'closed' | 'ended';

/** What comes back, and what is in the message of an error. */
type Outcome = readonly [replies: Replies, end: End, message?: string | RegExp];

/** What is special about bytes, the bytes as Latin-1, in which `TOKEN` stands for an access token, and their outcome. */
export type RawCase = readonly [title: string, bytes: string, ...Outcome];

/** A plant that all cases send, so that it is stored once. */
export const plant = '{"id":1,"name":"Fern"}';
const length = `Content-Length: ${plant.length}`;
const size = plant.length.toString(16);
const usual = ['Host: a', 'Authorization: Bearer TOKEN', 'Content-Type: application/json'];

/** A request, with header lines in place of the usual ones. */
const request = (line: string, headers: readonly string[], body = '') =>
  `${line}\r\n${headers.map((header) => `${header}\r\n`).join('')}\r\n${body}`;
/** A create, with header lines besides the usual ones, its length among them unless its body is framed otherwise. */
const post = (...headers: readonly string[]) =>
  request('POST /plants HTTP/1.1', [...usual, ...headers, length], plant);
const chunked = (body: string, ...headers: readonly string[]) =>
  request('POST /plants HTTP/1.1', [...usual, 'Transfer-Encoding: chunked', ...headers], body);
/** A create with another header in place of the one of its name. */
const replaced = (header: string) => {
  const others = usual.filter((line) => line.split(':')[0] !== header.split(':')[0]);
  return request('POST /plants HTTP/1.1', [...others, header, length], plant);
};
const lengthOf = (value: string) => post().replace(length, `Content-Length: ${value}`);
const aimed = (line: string) => post().replace('POST /plants HTTP/1.1', line);
/** Creates with another method and other targets, which have one outcome. */
const aimedAt = (method: string, targets: readonly string[], ...outcome: Outcome) =>
  targets.map((to): RawCase => [`${method} ${to}`, aimed(`${method} ${to} HTTP/1.1`), ...outcome]);
const get = (target: string, ...headers: readonly string[]) =>
  request(`GET ${target} HTTP/1.1`, [...usual.slice(0, 2), ...headers]);

const withoutHost = post().replace('Host: a\r\n', '');
const twoHosts = (linesBetween: number) => post(...Array(linesBetween).fill('a:'), 'HOST: b');
const keepAlive = 'Connection: keep-alive';
const toOld = (bytes: string) => bytes.replace('HTTP/1.1', 'HTTP/1.0');
const old = (...headers: readonly string[]) => toOld(post(...headers));
const absolute = (bytes: string) => bytes.replace('/plants', 'http://b/plants');
const noCoding = /^HTTP\/1\.0 does not support transfer codings\./;
const invalidHost = /^The Host header is not valid/;
const oneHost = 'The request must have one Host header, as HTTP/1.1 requires.';
const otherPaths = [
  '/plants;x=1 /plants%2F /plants%00 /v1/plants /./plants /x/../plants /__proto__ /constructor /% /%E0%A4%A',
  '/%2e%2e/%2e%2e/etc/passwd /openapi.json/ /OpenAPI.json',
].flatMap((paths) => paths.split(' '));
const invalidTargets = [
  'http://?x http:// http://:80 http:///plants http://[::1/plants x:// x://TOKEN file:///TOKEN */plants',
  'http://a:b@c:d/plants?access_token=TOKEN http://user:TOKEN@plants.example/plants http://a/plants#',
  'http://plants.example:99999/plants http://%/plants#TOKEN /plants#TOKEN /plants?#TOKEN https://[::1]:8443/#x',
].flatMap((targets) => targets.split(' '));
const invalidHosts = [
  ...['a b', 'a, b', 'a\tb'],
  ...'a/b a?b a#b a@b a:b a:80:80 http://a a\\b <a> "a" [::1 ::1 [] [::1]a [::1%25lo] [g::] %zz %'.split(' '),
  ...['\xe9', '{TOKEN}'],
];
const tooLarge = /headers are too large/;
const otherCoding = 'The request uses a transfer coding other than chunked.';
/** The parser's own limit differs between releases of Node.js. */
const tooManyLines = /^The request is not valid HTTP: .*(2000 header lines|too numerous)\.$/;

const toUpgrade = (bytes: string) =>
  bytes.replace('Host: a\r\n', 'Host: a\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n');
const upgrade = post('Connection: Upgrade', 'Upgrade: h2c');
const inner = 'GET /y HTTP/1.1\r\nHost: a\r\n\r\n';
const around = (line: string) => request(line, [...usual, `Content-Length: ${inner.length}`], inner);
const data = `\r\n${plant}\r\n`;
const wholeChunk = size + data;
const whole = `${wholeChunk}0\r\n\r\n`;
const trailed = (...trailers: readonly string[]) =>
  chunked(`${wholeChunk}0\r\n${trailers.map((line) => `${line}\r\n`).join('')}\r\n`);
const coded = (coding: string) => chunked(whole).replace('chunked', coding);
/** A create with more in its content type. */
const typed = (parameters: string) => replaced(`Content-Type: application/json${parameters}`);

/** Requests that are hard to frame, to aim or to read the head of. */
export const rawRequests: Readonly<Record<string, readonly RawCase[]>> = {
  'the length of a body': [
    ['a length', post(), [200], 'open'],
    ['the same length twice', post(length), [40000], 'closed'],
    ['another length', post('Content-Length: 5'), [40000], 'closed', /HPE_UNEXPECTED_CONTENT_LENGTH/],
    ['the same length twice in one line', lengthOf(`${plant.length}, ${plant.length}`), [40000], 'closed'],
    ['a length with a plus sign', lengthOf(`+${plant.length}`), [40000], 'closed'],
    ['a negative length', lengthOf('-1'), [40000], 'closed', /HPE_INVALID_CONTENT_LENGTH/],
    ['a length in hexadecimal', lengthOf('0x16'), [40000], 'closed'],
    ['an empty length', lengthOf(''), [40000], 'closed'],
    ['a length with zeros before', lengthOf(`000${plant.length}`), [200], 'open'],
    ['a length beyond 64 bits', lengthOf('18446744073709551638'), [40000], 'closed'],
    ['a length that is one too small', lengthOf(`${plant.length - 1}`), [40001, 40000], 'closed'],
    ['a length that is one too large', lengthOf(`${plant.length + 1}`), [40000], 'ended', /not valid HTTP/],
    ['no length', post().replace(`${length}\r\n`, ''), [40001, 40000], 'closed'],
    ['no length and no body', request('POST /plants HTTP/1.1', usual), [40001], 'open'],
    ['a body that GET does not read', get('/plants', 'Content-Length: 5').concat('abcde'), [200], 'open'],
  ],

  chunks: [
    ['one', chunked(whole), [200], 'open'],
    ['one for each byte', chunked(`${plant.replace(/./g, '1\r\n$&\r\n')}0\r\n\r\n`), [200], 'open'],
    ['capitals and zeros in a size', chunked(`000${size.toUpperCase()}${data}000\r\n\r\n`), [200], 'open'],
    ['extensions', chunked(`${size};a=b;c="d;\t"\r\n${plant}\r\n0;last\r\n\r\n`), [200], 'open'],
    ['trailers', chunked(`${wholeChunk}0\r\nX-A: 1\r\nX-B:\r\n\r\n`), [200], 'open'],
    ['a length in the trailers', chunked(`${wholeChunk}0\r\nContent-Length: 1\r\n\r\n`), [40000], 'closed'],
    ['a trailer that is folded', chunked(`${wholeChunk}0\r\nX-A: 1\r\n 2\r\n\r\n`), [40000], 'closed'],
    ['a size with a sign', chunked(`+${whole}`), [40000], 'closed'],
    ['a size with a prefix', chunked(`0x${whole}`), [40000], 'closed'],
    ['a size beyond 64 bits', chunked(`1${'0'.repeat(16)}\r\n${plant}\r\n0\r\n\r\n`), [40000], 'closed'],
    ['no size', chunked(`zz\r\n${plant}`), [40000], 'closed', /HPE_INVALID_CHUNK_SIZE/],
    ['a size that is too small', chunked(`1\r\n${plant}\r\n0\r\n\r\n`), [40000], 'closed'],
    ['a space before the size', chunked(` ${whole}`), [40000], 'closed'],
    ['a line feed alone behind the size', chunked(`${size}\n${plant}\r\n0\r\n\r\n`), [40000], 'closed'],
    ['a line feed alone behind the data', chunked(`${size}\r\n${plant}\n0\r\n\r\n`), [40000], 'closed'],
    ['a line feed alone in an extension', chunked(`${size};a\nb${data}0\r\n\r\n`), [40000], 'closed'],
    ['no last chunk', chunked(wholeChunk), [40000], 'ended'],
    ['a last chunk without an empty line', chunked(`${wholeChunk}0\r\n`), [40000], 'ended'],
    ['none but the last', chunked('0\r\n\r\n'), [40001], 'open'],
    ['chunked in capitals', coded('CHUNKED'), [200], 'open'],
    ['chunked twice', chunked(whole, 'Transfer-Encoding: chunked'), [40000], 'closed'],
    ['chunked, and then another coding', coded('chunked, gzip'), [40000], 'closed'],
    ['another coding, and then chunked', coded('gzip, chunked'), [40000], 'closed', otherCoding],
    ['identity, and then chunked', coded('identity,Chunked'), [40000], 'closed', otherCoding],
    ['nothing, and then chunked', coded(',chunked'), [40000], 'closed', otherCoding],
    ['chunked, and then nothing', coded('chunked,'), [40000], 'closed'],
    ['a coding with a parameter', coded('chunked;q=1'), [40000], 'closed', otherCoding],
    ['a coding in quotes', coded('"chunked"'), [40000], 'closed', otherCoding],
    ['a coding without chunked', coded('gzip'), [40000], 'closed', otherCoding],
    ['a coding without chunked or a body', get('/plants', 'Transfer-Encoding: gzip'), [40000], 'closed'],
    ['a coding and a length', post('Transfer-Encoding: identity'), [40000], 'closed'],
    ['no coding', coded(''), [40000], 'closed'],
    ['whitespace around an extension', chunked(`${size} ; a = b${data}0\r\n\r\n`), [40000], 'closed'],
    ['a control character in an extension', chunked(`${size};\x01${data}0\r\n\r\n`), [40000], 'closed'],
    ['a long extension', chunked(`${size};a=${'b'.repeat(20_000)}${data}0\r\n\r\n`), [40000], 'closed'],
    ['a coding in the trailers', trailed('Transfer-Encoding: chunked'), [40000], 'closed'],
    ['a Host and a token in the trailers', trailed('Host: b', 'Authorization: Bearer x'), [200], 'open'],
    ['close in the trailers', trailed('Connection: close') + post(), [200, 40000], 'closed', /CLOSED/],
    ['long trailers', trailed(`X-A: ${'a'.repeat(20_000)}`), [40000], 'closed', tooLarge],
    ['many trailers', trailed(...Array(2_500).fill('X-A: a')), [40000], 'closed'],
    ['chunked behind a vertical tab', coded('\vchunked'), [40000], 'closed'],
    ['chunks and a length before', chunked(whole, length), [40000], 'closed'],
  ],

  'lines of a head': [
    ['line feeds alone', post().replaceAll('\r\n', '\n'), [40000], 'closed'],
    ['a line feed alone behind a header', post().replace('Host: a\r\n', 'Host: a\n'), [40000], 'closed'],
    ['a carriage return alone in a value', post('X-A: a\rb'), [40000], 'closed'],
    ['a carriage return alone behind Host', post().replace('Host: a\r\n', 'Host: a\r'), [40000], 'closed'],
    ['a folded line', post('X-A: a\r\n\tb'), [40000], 'closed'],
    ['a folded line before all headers', post().replace('Host', ' Host'), [40000], 'closed'],
    ['a space before the colon', post('X-A : a'), [40000], 'closed'],
    ['no name', post(': a'), [40000], 'closed'],
    ['no colon', post('X-A'), [40000], 'closed'],
    ['no value', post('X-A:'), [200], 'open'],
    ['a tab in a value', post('X-A: \ta\tb\t'), [200], 'open'],
    ['bytes beyond ASCII in a value', post('X-A: \xe9\xff'), [200], 'open'],
    ['DEL in a value', post('X-A: \x7f'), [40000], 'closed'],
    ['a NUL in a value', post('X-A: \0'), [40000], 'closed'],
    ['bytes beyond ASCII in a name', post('X-\xe9: a'), [40000], 'closed'],
    ['a long value', post(`X-A: ${'a'.repeat(15_000)}`), [200], 'open'],
    ['a value that is too long', post(`X-A: ${'a'.repeat(17_000)}`), [40000], 'closed', tooLarge],
    ['as many lines as there may be', post(...Array(1_996).fill('a:')), [200], 'open'],
    ['more lines than that', post(...Array(1_997).fill('a:')), [40000], 'open', tooManyLines],
    [
      'too many long lines',
      post(...Array(2_000).fill('X-A: some text')),
      [40000],
      'closed',
      /or too numerous/,
    ],
    ['a second Host behind too many lines', twoHosts(1_996), [40000], 'open', tooManyLines],
    ['a second Host behind many more', twoHosts(3_000), [40000], 'closed', tooManyLines],
    ['a second Host far behind', twoHosts(1_995), [40000], 'open', oneHost],
    ['a second Host', twoHosts(0), [40000], 'open', oneHost],
    ['a second Host of HTTP/1.0', twoHosts(0).replace('/1.1', '/1.0'), [40000], 'closed', oneHost],
    ['no Host', withoutHost, [40000], 'open', oneHost],
    ['no Host of HTTP/1.0', withoutHost.replace('/1.1', '/1.0'), [200], 'closed'],
    ['no Host beside an absolute URL', absolute(withoutHost), [40000], 'open', oneHost],
    ['a Host that is not valid beside an absolute URL', absolute(replaced('Host: b c')), [40000], 'open'],
    ['an empty Host beside an absolute URL', absolute(replaced('Host:')), [200], 'open'],
    ['a line of spaces before all headers', post().replace('Host', ' \r\nHost'), [40000], 'closed'],
    ['a tab before the colon', post('X-A\t: a'), [40000], 'closed'],
    ['a name in capitals', post().replace('Content-Type', 'CONTENT-TYPE'), [200], 'open'],
    ['a head that ends with the connection', 'POST /plants HTTP/1.1\r\nHost: a\r\n', [40000], 'ended'],
    ...['', 'a:80', 'a:', ':80', 'a_b', 'a%20b', "a-.~!$&'()*+,;=", '[::1]', '[::1]:80', '[v1.a:b]'].map(
      (host): RawCase => [`the Host ${host}`, replaced(`Host: ${host}`), [200], 'open'],
    ),
    ...invalidHosts.map(
      (host): RawCase => [`the Host ${host}`, replaced(`Host: ${host}`), [40000], 'open', invalidHost],
    ),
  ],

  'HTTP/1.0': [
    ['keep-alive among others', old('Connection: a,Keep-Alive'), [200], 'open'],
    ['keep-alive and close', old('Connection: keep-alive, Close'), [200], 'closed'],
    ['keep-alive and close in two lines', old(keepAlive, 'Connection: close'), [200], 'closed'],
    ['keep-alive and an option with close in its name', old('Connection: keep-alive, closed'), [200], 'open'],
    ['an expectation', old('Expect: 100-continue'), [200], 'closed'],
    ['an expectation that is kept open', old(keepAlive, 'Expect: 100-continue'), [200], 'open'],
    ['chunks', toOld(chunked(whole)), [40000], 'closed', noCoding],
    ['chunks that are kept open', toOld(chunked(whole, keepAlive)), [40000], 'closed', noCoding],
    ['chunks and a length', toOld(chunked(whole, length, keepAlive)), [40000], 'closed'],
    ['another coding', toOld(coded('gzip')), [40000], 'closed', noCoding],
    ['a body without a length', old().replace(`${length}\r\n`, ''), [40001], 'closed'],
    ['a body that is cut off', old().slice(0, -1), [40000], 'ended'],
    ['a list', toOld(get('/plants')), [200], 'closed'],
    ['a list that is kept open', toOld(get('/plants', keepAlive)), [200], 'open'],
    ['an absolute URL', old().replace('/plants', 'http://b/plants'), [200], 'closed'],
    ['a Host that is not valid', old().replace('Host: a', 'Host: a b'), [40000], 'closed', invalidHost],
    ['an upgrade', old('Connection: Upgrade', 'Upgrade: websocket'), [200], 'closed'],
  ],

  'request lines': [
    ['no HTTP', 'hello\r\n\r\n', [40000], 'closed', /HPE_INVALID_METHOD/],
    ['TLS', '\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03', [40000], 'closed', /HPE_INVALID_METHOD/],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', [40000], 'closed', /HPE_/],
    ['HTTP/2.0 in text', aimed('POST /plants HTTP/2.0'), [40000], 'closed', /HTTP\/1\.1 or HTTP\/1\.0/],
    ['HTTP/0.9 with headers', aimed('POST /plants HTTP/0.9'), [40000], 'closed', /HTTP\/1\.1 or HTTP\/1\.0/],
    ['an unknown method', aimed('PLANT /plants HTTP/1.1'), [40000], 'closed', /HPE_INVALID_METHOD/],
    ['a letter beyond ASCII', aimed('POST /pl\xe4nts HTTP/1.1'), [40000], 'closed', /HPE_INVALID_URL/],
    ['a long path', aimed(`POST /${'x'.repeat(20_000)} HTTP/1.1`), [40000], 'closed', tooLarge],
    ['several spaces', aimed('POST  /plants  HTTP/1.1'), [200], 'open'],
    ['a tab', aimed('POST\t/plants HTTP/1.1'), [40000], 'closed'],
    ['a space before', aimed(' POST /plants HTTP/1.1'), [40000], 'closed'],
    ['a space behind', aimed('POST /plants HTTP/1.1 '), [40000], 'closed'],
    ['an empty line before', `\r\n${post()}`, [200], 'open'],
    ['no version', aimed('POST /plants'), [40000], 'closed'],
    ['a version in lower case', aimed('POST /plants http/1.1'), [40000], 'closed'],
    ['HTTP/1.0', aimed('POST /plants HTTP/1.0'), [200], 'closed'],
    ['HTTP/1.0 that is kept open', aimed('POST /plants HTTP/1.0\r\nConnection: keep-alive'), [200], 'open'],
    ...['HTTP/1.2', 'HTTP/1.9', 'HTTP/1.10', 'HTTP/01.1', 'HTTP/3.0', 'HTTP/1', 'HTP/1.1'].map(
      (version): RawCase => [version, aimed(`POST /plants ${version}`), [40000], 'closed'],
    ),
    // The parser does not report the name of the protocol.
    ['RTSP', aimed('POST /plants RTSP/1.0'), [200], 'closed'],
    ['SOCKS', '\x05\x01\0', [40000], 'closed', /HPE_INVALID_METHOD/],
    ['the PROXY protocol', `PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n${post()}`, [40000], 'closed'],
    ['a reply', 'HTTP/1.1 200 OK\r\n\r\n', [40000], 'closed', /HPE_INVALID_METHOD/],
    ['many empty lines before', `${'\r\n'.repeat(5_000)}${post()}`, [200], 'open'],
    ['a carriage return alone before', `\r${post()}`, [200], 'open'],
    ['a space in the target', aimed('POST /plants a HTTP/1.1'), [40000], 'closed'],
    ['a method in lower case', aimed('post /plants HTTP/1.1'), [40000], 'closed'],
    ['OPTIONS', aimed('OPTIONS /plants HTTP/1.1'), [40500], 'open'],
    ['PROPFIND', aimed('PROPFIND /plants HTTP/1.1'), [40500], 'open'],
    ['a method with a query', aimed('PUT /plants?x=1 HTTP/1.1'), [40500], 'open', /on \/plants\. Use/],
    ['TRACE', request('TRACE /plants HTTP/1.1', usual), [40500], 'open'],
    ['QUERY', aimed('QUERY /plants HTTP/1.1'), [40500], 'open'],
    ['an absolute URL', aimed('POST http://b/plants HTTP/1.1'), [200], 'open'],
    ['an absolute URL in capitals with a port', aimed('POST HTTPS://b:443/plants? HTTP/1.1'), [200], 'open'],
    ['a URL with a user', aimed('POST http://u:p@b/plants HTTP/1.1'), [40000], 'open'],
    ['a URL of another scheme', aimed('POST ftp://b/plants HTTP/1.1'), [40000], 'open'],
    ['a path without a slash', aimed('POST plants HTTP/1.1'), [40000], 'closed'],
    ['a fragment', aimed('POST /plants#a HTTP/1.1'), [40000], 'open', /^The request target/],
    ['a backslash', aimed('POST /plants\\ HTTP/1.1'), [40400], 'open'],
    ['dots', aimed('POST /../plants HTTP/1.1'), [40400], 'open'],
    ['two slashes', aimed('POST //plants HTTP/1.1'), [40400], 'open'],
    ['an empty query', aimed('POST /plants? HTTP/1.1'), [200], 'open'],
    ['a query', aimed('POST /plants?x=1 HTTP/1.1'), [40000], 'open'],
    ['an id with a sign', get('/plants/+1'), [40000], 'open'],
    ['an id beyond int64', get('/plants/9223372036854775808'), [40000], 'open'],
    ['a query that is not UTF-8', get('/plants?q=%FF'), [40000], 'open'],
    ['a parameter twice', get('/plants?q=a&%71=a'), [40000], 'open'],
    ['a percent sign alone', get('/plants/%'), [40000], 'open'],
  ],

  paths: ['POST', 'GET'].flatMap((method) =>
    aimedAt(method, otherPaths, [40400], 'open', /^There is nothing at \//),
  ),

  'parameters of a query': ['POST /plants', 'GET /plants', 'GET /plants/1', 'DELETE /plants/1'].flatMap(
    (line) =>
      [
        ['__proto__[polluted]=1&constructor.prototype.polluted=1', '__proto__[polluted]'],
        ['x=1&'.repeat(2_000), 'x'],
        ['%E0%A4%A', '%E0%A4%A'],
        ['x'.repeat(500), `${'x'.repeat(120)}…`],
      ].map(
        ([query = '', name]): RawCase => [
          `${line}?${query.slice(0, 50)}`,
          aimed(`${line}?${query} HTTP/1.1`),
          [40000],
          'open',
          `The request is not valid: the query parameter ${name} is unknown: this operation`,
        ],
      ),
  ),

  'targets that are not valid': ['POST', 'GET', 'OPTIONS', 'CONNECT'].flatMap((method) =>
    aimedAt(method, invalidTargets, [40000], method === 'CONNECT' ? 'closed' : 'open', /^The request target/),
  ),

  'targets in another form': [
    ...aimedAt('POST', ['x:', '?', '#', '\\plants', 'TOKEN:80'], [40000], 'closed', /HPE_INVALID_/),
    ...aimedAt('POST', ['http://a b/plants'], [40000], 'closed', /HPE_INVALID_/),
    ...aimedAt('POST', ['http://[::1]/plants', 'http://TOKEN/plants', '/plants?&&'], [200], 'open'),
    ...aimedAt('POST', ['http://a', 'http://a?x=1', 'https://[::1]:8443/'], [40400], 'open', /at \/\.$/),
    ...['OPTIONS', 'POST'].flatMap((method) => aimedAt(method, ['*'], [40400], 'open', /at \/\*\.$/)),
    ['CONNECT with a host', aimed('CONNECT TOKEN:80 HTTP/1.1'), [40000], 'closed', /target/],
    ['CONNECT with a path', aimed('CONNECT /plants HTTP/1.1'), [40500], 'closed', 'Use POST or GET or HEAD.'],
    ['CONNECT with another path', aimed('CONNECT /x HTTP/1.1'), [40400], 'closed'],
  ],

  'meaning of headers': [
    ['two request ids', post('X-Request-Id: a', 'X-Request-Id: b'), [200], 'open'],
    ['a header with a name as long as that of Host', post('From: a@b'), [200], 'open'],
    ['a token of two schemes', replaced('Authorization: Basic Bearer TOKEN'), [40100], 'open'],
    ['a token of another scheme', replaced('Authorization: XBearer TOKEN'), [40100], 'open'],
    ['another type accepted', post('Accept: text/html'), [200], 'open'],
    ['a token only in another header', post().replace('Authorization', 'X-Access-Token'), [40100], 'open'],
    ['a token only in a cookie', post().replace('Authorization: Bearer ', 'Cookie: token='), [40100], 'open'],
    ['an unknown token and another content type', typed('x').replace('TOKEN', 'x'), [40101], 'open'],
    ['close', post('Connection: close'), [200], 'closed'],
    ['close among others', post('Connection: keep-alive, Close'), [200], 'closed'],
    ['close in a second line', post('Connection: a', 'Connection: close'), [200], 'closed'],
    ['close between empty options', post('Connection: ,,close,'), [200], 'closed'],
    ['an option with close in its name', post('Connection: closed'), [200], 'open'],
    ['options that name other headers', post('Connection: Host, Authorization'), [200], 'open'],
    ['how long the connection is kept', post('Keep-Alive: timeout=1'), [200], 'open'],
    ['accepted transfer codings', post('Connection: TE', 'TE: trailers, gzip;q=0.5'), [200], 'open'],
    ['an upgrade', upgrade, [200], 'closed'],
    ['an upgrade without the option', post('Upgrade: websocket'), [200], 'closed'],
    ['an expectation', post('Expect: 100-continue'), [100, 200], 'open'],
    ['an expectation in capitals', post('EXPECT: 100-CONTINUE'), [100, 200], 'open'],
    ['an expectation of nothing known', post('Expect: 200-ok'), [200], 'open'],
    ['two tokens', post('Authorization: Bearer TOKEN'), [200], 'open'],
    ['two content types', post('Content-Type: text/plain'), [200], 'open'],
    ['two tokens in a line', replaced('Authorization: Bearer TOKEN TOKEN'), [40101], 'open'],
    ['a tab before the token', replaced('Authorization: Bearer\tTOKEN'), [40100], 'open'],
    ['an empty token', replaced('Authorization: Bearer '), [40100], 'open'],
    ['two charsets', typed('; charset=utf-8; charset=utf-16'), [200], 'open'],
    ['a charset of another name', typed('; charset=latin1'), [40004], 'open'],
    ['a content coding', post('Content-Encoding: gzip'), [40004], 'open'],
    ['no content coding', post('Content-Encoding: identity'), [200], 'open'],
    ['an empty content coding', post('Content-Encoding:'), [40004], 'open'],
  ],

  'pipelined requests': [
    ['three', post() + get('/plants/2') + post(), [200, 40401, 200], 'open'],
    ['an error of each kind', aimed('POST /x HTTP/1.1') + typed('x') + post(), [40400, 40004, 200], 'open'],
    ['a body that is not valid', post() + post() + chunked('zz\r\n'), [200, 200, 40000], 'closed'],
    ['CONNECT', post() + post() + aimed('CONNECT a:1 HTTP/1.1'), [200, 200, 40000], 'closed', /target/],
    ['what follows the last one', post('Connection: close') + post(), [200], 'closed'],
    ['what follows one of HTTP/1.0', aimed('POST /plants HTTP/1.0') + post(), [200], 'closed'],
    ['one that is not HTTP', `${post()}\0\r\n\r\n`, [200, 40000], 'closed'],
    ['one with two lengths', post() + post(length), [200, 40000], 'closed'],
    ['one that is cut off', post() + post().slice(0, -1), [200, 40000], 'ended'],
    ['a request in the body of another', around('POST /plants HTTP/1.1'), [40001], 'open'],
    ['a request in the body of one that its head rejects', around('POST /x HTTP/1.1'), [40400], 'open'],
    ['a request behind the body that its chunks end', chunked('0\r\n\r\n') + post(), [40001, 200], 'open'],
    ['close in the middle', post() + post('Connection: close') + post(), [200, 200], 'closed'],
    ['what follows an upgrade', upgrade + post(), [200], 'closed'],
    ['what follows an upgrade in chunks', toUpgrade(chunked(whole)) + post(), [200], 'closed'],
    ['an upgrade without a body', post() + toUpgrade(get('/plants/2')) + post(), [200, 40401], 'closed'],
    ['what is not HTTP behind an upgrade', `${upgrade}hello\r\n\r\n`, [200], 'closed'],
    ['empty lines between', `${post()}\r\n\r\n${post()}`, [200, 200], 'open'],
    ['a line feed between', `${post()}\n${post()}`, [200, 200], 'open'],
  ],
};

/** The name of recorded requests: their group, and their title. */
type Recorded = readonly [group: string, title: string];

/**
 * RFC 9112, section by section: what the service does, and a recorded request of each kind. `parser` marks where Node.js's parser differs
 * from the section.
 */
export const rfc9112: readonly (readonly [section: string, behavior: string, ...recorded: Recorded[]])[] = [
  ['2.2', 'Ignores empty lines before a request.', ['request lines', 'many empty lines before']],
  ['2.2', 'Rejects a line that does not end with CRLF.', ['lines of a head', 'line feeds alone']],
  ['2.2', 'Rejects a bare CR.', ['lines of a head', 'a carriage return alone in a value']],
  ['2.2', 'parser: ignores a bare CR before a request.', ['request lines', 'a carriage return alone before']],
  ['2.2', 'Rejects spaces before the headers.', ['lines of a head', 'a line of spaces before all headers']],
  ['2.2', 'Rejects what is not HTTP.', ['request lines', 'TLS'], ['request lines', 'SOCKS']],
  ['2.3', 'Rejects other major versions with 400, not 505.', ['request lines', 'HTTP/2.0 in text']],
  ['2.3', 'parser: rejects later minor versions.', ['request lines', 'HTTP/1.2']],
  ['2.3', 'parser: takes RTSP/1.0 for HTTP/1.0.', ['request lines', 'RTSP']],
  ['3', 'Takes several spaces between the words.', ['request lines', 'several spaces']],
  ['3', 'Rejects whitespace in the target.', ['request lines', 'a space in the target']],
  ['3', 'Rejects a request line over the limit with 400, not 414.', ['request lines', 'a long path']],
  ['3.1', 'Compares methods exactly.', ['request lines', 'a method in lower case']],
  ['3.2', 'Rejects a fragment.', ['request lines', 'a fragment']],
  ['3.2', 'Rejects a missing Host.', ['lines of a head', 'no Host']],
  ['3.2', 'Rejects a second Host.', ['lines of a head', 'a second Host']],
  ['3.2', 'Rejects an invalid Host.', ['lines of a head', 'the Host a b']],
  ['3.2', 'Rejects it in HTTP/1.0, too.', ['HTTP/1.0', 'a Host that is not valid']],
  ['3.2', 'Takes an empty Host.', ['lines of a head', 'the Host ']],
  ['3.2', 'Serves HTTP/1.0 without a Host.', ['lines of a head', 'no Host of HTTP/1.0']],
  ['3.2.1', 'Takes a path and a query.', ['request lines', 'an empty query']],
  ['3.2.2', 'Takes an absolute URL of any host.', ['request lines', 'an absolute URL']],
  ['3.2.2', 'Checks Host all the same.', ['lines of a head', 'no Host beside an absolute URL']],
  ['3.2.3', 'Rejects CONNECT, and closes.', ['targets in another form', 'CONNECT with a host']],
  ['3.2.4', 'Serves nothing under *.', ['targets in another form', 'OPTIONS *']],
  ['5.1', 'Rejects whitespace before the colon.', ['lines of a head', 'a space before the colon']],
  ['5.1', 'Ignores whitespace around a value.', ['lines of a head', 'a tab in a value']],
  ['5.2', 'Rejects a folded line.', ['lines of a head', 'a folded line']],
  ['6.1', 'Rejects a length beside chunks.', ['chunks', 'chunks and a length before']],
  ['6.1', 'Rejects other codings with 400, not 501.', ['chunks', 'another coding, and then chunked']],
  ['6.1', 'Rejects any coding in HTTP/1.0, and closes.', ['HTTP/1.0', 'chunks that are kept open']],
  ['6.2', 'Rejects an invalid length.', ['the length of a body', 'a length beyond 64 bits']],
  ['6.2', 'Rejects several lengths.', ['the length of a body', 'the same length twice in one line']],
  ['6.3', 'Rejects a coding that does not end in chunked.', ['chunks', 'a coding without chunked']],
  ['6.3', 'Reads no body without a length.', ['the length of a body', 'no length and no body']],
  ['6.3', 'Does not read HTTP/1.0 up to the end of the connection.', ['HTTP/1.0', 'a body without a length']],
  ['7.1', 'Rejects a chunk size beyond 64 bits.', ['chunks', 'a size beyond 64 bits']],
  ['7.1.1', 'Ignores chunk extensions.', ['chunks', 'extensions']],
  ['7.1.1', 'Rejects chunk extensions over the limit.', ['chunks', 'a long extension']],
  ['7.1.1', 'parser: rejects spaces around them.', ['chunks', 'whitespace around an extension']],
  ['7.1.2', 'Ignores trailers.', ['chunks', 'trailers'], ['chunks', 'a Host and a token in the trailers']],
  ['7.1.2', 'parser: closes after close in trailers.', ['chunks', 'close in the trailers']],
  ['7.2', 'Rejects parameters of a coding.', ['chunks', 'a coding with a parameter']],
  ['7.4', 'Ignores TE.', ['meaning of headers', 'accepted transfer codings']],
  ['8', 'Rejects an incomplete request.', ['the length of a body', 'a length that is one too large']],
  ['8', 'Rejects incomplete chunks.', ['chunks', 'no last chunk']],
  ['9.3', 'Keeps HTTP/1.1 open.', ['the length of a body', 'a length']],
  ['9.3', 'Keeps HTTP/1.0 open with keep-alive.', ['request lines', 'HTTP/1.0 that is kept open']],
  ['9.3', 'Closes on close beside keep-alive.', ['HTTP/1.0', 'keep-alive and close']],
  ['9.3.2', 'Replies in order.', ['pipelined requests', 'three']],
  [
    '9.3.2',
    'Closes the connection behind an ignored upgrade.',
    ['pipelined requests', 'what follows an upgrade'],
  ],
  ['9.6', 'Ignores what follows close.', ['pipelined requests', 'close in the middle']],
  ['11.2', 'Keeps a request in a body apart.', ['pipelined requests', 'a request in the body of another']],
];

/**
 * Bodies of creates as Latin-1, and the id under which a plant of the name `n` is stored, or the number of the error. More are in
 * packages/contract: test/operation-cases.ts, test/request-cases.ts, and src/exact-json/parse.test.ts.
 */
export const rawBodies: readonly (readonly [body: string, outcome: string | number])[] = [
  // Numbers, of which the value counts.
  ['{"id":18446744073709551615,"name":"n"}', 40002],
  ['{"id":-0.0e9999999999,"name":"n"}', '0'],
  ['{"id":922337203685477580.7e1,"name":"n"}', '9223372036854775807'],
  ['{"id":1e9999999999,"name":"n"}', 40002],
  ['{"id":1e-9999999999,"name":"n"}', 40002],
  // Members that come twice.
  ['{"id":2,"id":2.0,"name":"n"}', '2'],
  ['{"id":2,"\\u0069d":3,"name":"n"}', 40001],
  ['{"id":2,"name":"n","name":"\\u006e"}', '2'],
  ['{"id":9007199254740992,"id":9007199254740993,"name":"n"}', 40001],
  ['{"x":1,"id":4,"x":[2],"name":"n"}', '4'],
  ['{"id":5,"name":"n","tag":[],"tag":{}}', 40001],
  ['{"id":5,"name":"n","x":{"__proto__":1}}', 40001],
  // Names with a meaning in JavaScript.
  ['{"id":5,"name":"n","__proto__":{"polluted":true}}', 40001],
  ['{"id":5,"name":"n","x":[[{"__pr\\u006Fto__":{"polluted":true}}]]}', 40001],
  ['{"__proto__":{"id":5,"name":"n"}}', 40001],
  ['{"id":5,"name":"n","constructor":{"prototype":{"polluted":true}},"then":1,"toString":2,"":0}', '5'],
  // Bytes: those of UTF-8 are written as they are sent.
  ['\xff\xfe{\0', 40001],
  ['\x1f\x8b\x08\0', 40001],
  ['{"id":7,"name":"\xc0\x80"}', 40001],
  ['{"id":7,"name":"\xf4\x90\x80\x80"}', 40001],
  ['{"id":7,"name":"n","x":"\xf0\x9f\x8c\xb1"}', '7'],
  // Nesting.
  [`{"id":8,"name":"n","x":${'['.repeat(499)}${']'.repeat(499)}}`, '8'],
  [`{"id":8,"name":"n","x":${'['.repeat(500)}${']'.repeat(500)}}`, 40001],
  [`{"id":8,"name":"n","x":${'{"a":'.repeat(500)}1${'}'.repeat(500)}}`, 40001],
  ['['.repeat(100_000), 40001],
  // What is no JSON, or no object.
  ['{"id":9,"name":"n",}', 40001],
  ['{"id":9,,"name":"n"}', 40001],
  ['{"id":9,"name":"n"}{"id":9,"name":"n"}', 40001],
  ['{"id":9,"name":"n"}\0', 40001],
  ['{"id":9,"name":"n"}\v', 40001],
  ['\r\n\t {"id":9,"name":"n"} \n', '9'],
  ['{"id":9 /**/,"name":"n"}', 40001],
];
