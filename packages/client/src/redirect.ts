/**
 * What `fetch` does about a redirect: it fails, so that neither token nor plant goes where `baseUrl` does not lead. A
 * runtime without that mode, such as Cloudflare Workers, gives the redirect itself, which is refused for its status.
 *
 * In Node.js a request that follows none is faster, too: its body is not copied for the next one.
 */
export const redirect: RequestRedirect = findStrictest();

function findStrictest(): RequestRedirect {
  try {
    return new Request('http://a', { redirect: 'error' }).redirect;
  } catch {
    return 'manual';
  }
}
