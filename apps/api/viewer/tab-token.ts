/** The key under which the web app stores its token as JSON (`apps/web/src/token/stored-token.ts`), with the path prefix if there is one. */
const path = location.pathname.replace(/[^/]*$/, '');
const key = `plant-store.token${path === '/' ? '' : ` ${path}`}`;

/** Returns the access token that the web app used in this tab or remembers on this device, or `undefined`. */
export function readTabToken(): string | undefined {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(key) ?? localStorage.getItem(key) ?? 'null');
    const token: unknown = typeof kept === 'string' ? kept : Object(kept).token;
    return typeof token === 'string' && token !== '' ? token : undefined;
  } catch {
    // The browser blocks the storage, or another version stored something else.
    return undefined;
  }
}
