/** The caller's `X-Request-Id` when that is up to 64 letters, digits and `_.:-` and no access token, or a new UUID. */
export function nameRequest(headers: Headers): string {
  const proposed = headers.get('x-request-id') ?? '';
  return acceptable.test(proposed) && !accessToken.test(proposed) ? proposed : crypto.randomUUID();
}

const acceptable = /^[\w.:-]{1,64}$/;
const accessToken = /pst_[0-9A-Za-z]/;
