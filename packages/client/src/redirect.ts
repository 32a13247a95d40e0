/**
 * What `fetch` does about a redirect: it fails, so that neither token nor plant goes where `baseUrl` does not lead. A
 * runtime without that mode, such as Cloudflare Workers, gives the redirect itself, which is refused for its status.
 *
 * In Node.js a request that follows none is faster, too: its body is not copied for the next one.
 */
export const redirect = findStrictest();

function findStrictest(): 'error' | 'manual' {
  try {
    new Request('http://a', { redirect: 'error' });
    return 'error';
  } catch {
    return 'manual';
  }
}
