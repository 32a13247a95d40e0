/** What `fetch` of Node.js rejects with when the connection breaks. */
export function connectionReset(): TypeError {
  return connectionError('read', 'ECONNRESET');
}

/** What `fetch` of Node.js rejects with when nobody listens at the address. */
export function connectionRefused(): TypeError {
  return connectionError('connect', 'ECONNREFUSED');
}

/** What `fetch` of Node.js rejects with when the host has no address. */
export function hostNotFound(): TypeError {
  return connectionError('getaddrinfo', 'ENOTFOUND');
}

function connectionError(syscall: string, code: string): TypeError {
  return new TypeError('fetch failed', {
    cause: Object.assign(new Error(`${syscall} ${code}`), { code, syscall }),
  });
}
