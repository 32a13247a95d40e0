import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

const toPem = (type: string, lines: readonly string[]) =>
  [`-----BEGIN ${type}-----`, ...lines, `-----END ${type}-----`, ''].join('\n');

/** A self-signed certificate in PEM, valid only for 127.0.0.1 and until 2120, and its key. No program but the tests trusts it. */
export const certificate = {
  cert: toPem('CERTIFICATE', [
    'MIIBhTCCASugAwIBAgIUbs/90Z4zVjN4xDbknENpsQGjbfswCgYIKoZIzj0EAwIwHzEdMBsGA1UEAwwUUG9zdGdyZVNRTCBmb3Ig',
    'dGVzdHMwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMB8xHTAbBgNVBAMMFFBvc3RncmVTUUwgZm9yIHRlc3RzMFkw',
    'EwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAExCw8oFjP42YuJAXO+sYzs4vQlxwaolywB9gLufLhhETsWky0H9e/z0d2S/4q4GtemRFG',
    'vznL0a2R9r+/Oe8OjqNDMEEwDwYDVR0TAQH/BAUwAwEB/zAPBgNVHREECDAGhwR/AAABMB0GA1UdDgQWBBT7fJV2DL8LhchU87eS',
    'KW6u23HRETAKBggqhkjOPQQDAgNIADBFAiEAqcETEhPDsMDJKBcpMVsj1ceL5AB22EAWvD/lFGXdWBMCIErjziTGJboaollrg9XK',
    'eMPFbfGRhhI/s//F5l9OaxW+',
  ]),
  key: toPem('PRIVATE KEY', [
    'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgrF5c14e1mAhPfyJOE2X1pORaNddcxNj1N72t2srva42hRANCAATE',
    'LDygWM/jZi4kBc76xjOzi9CXHBqiXLAH2Au58uGEROxaTLQf17/PR3ZL/irga16ZEUa/OcvRrZH2v7857w6O',
  ]),
};

/**
 * Makes a server accept TLS connections too, once for all tests that share it.
 *
 * @returns its self-signed certificate in PEM, valid only for 127.0.0.1
 */
export async function enableTls(serverUrl: string): Promise<string> {
  const client = new pg.Client({ connectionString: `${serverUrl}/postgres` });
  await client.connect();
  const run = async (sql: string) => (await client.query<Readonly<Record<string, string>>>(sql)).rows;
  try {
    await run("SELECT pg_advisory_lock(hashtext('enable TLS'))");
    const isOn = async () => (await run('SHOW ssl'))[0]?.['ssl'] === 'on';
    if (!(await isOn())) {
      const files = { 'server.key': certificate.key, 'server.crt': certificate.cert };
      for (const [file, content] of Object.entries(files)) {
        // The server writes the files itself, since it rejects a key owned by another user.
        await run(`COPY (SELECT unnest(string_to_array($$${content}$$, E'\\n')))
          TO PROGRAM 'umask 077 && cat > ${file}'`);
      }
      await run('ALTER SYSTEM SET ssl = on');
      await run('SELECT pg_reload_conf()');
      while (!(await isOn())) await sleep(10);
    }
    return certificate.cert;
  } finally {
    await client.end();
  }
}
