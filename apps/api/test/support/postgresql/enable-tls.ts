import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { generate } from 'selfsigned';

/** A self-signed certificate in PEM, valid only for 127.0.0.1, and its key. */
export async function createCertificate(): Promise<{ readonly key: string; readonly cert: string }> {
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'PostgreSQL for tests' }], {
    keyType: 'ec',
    extensions: [
      { name: 'basicConstraints', cA: true },
      { name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] },
    ],
  });
  return { key, cert };
}

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
      const { key, cert } = await createCertificate();
      for (const [file, content] of Object.entries({ 'server.key': key, 'server.crt': cert })) {
        // The server writes the files itself, since it rejects a key owned by another user.
        await run(`COPY (SELECT unnest(string_to_array($$${content.replaceAll('\r', '')}$$, E'\\n')))
          TO PROGRAM 'umask 077 && cat > ${file}'`);
      }
      await run('ALTER SYSTEM SET ssl = on');
      await run('SELECT pg_reload_conf()');
      while (!(await isOn())) await sleep(10);
    }
    return (await run(`SELECT pg_read_file('server.crt') AS certificate`))[0]?.['certificate'] ?? '';
  } finally {
    await client.end();
  }
}
