import { setTimeout as sleep } from 'node:timers/promises';
import { query } from '@plant-store/postgresql-server';
import { generate } from 'selfsigned';

/**
 * Makes a server accept TLS connections too.
 *
 * @returns its self-signed certificate in PEM, valid only for 127.0.0.1
 */
export async function enableTls(serverUrl: string): Promise<string> {
  const run = (sql: string) => query<{ ssl: string }>(`${serverUrl}/postgres`, sql);
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'PostgreSQL for tests' }], {
    keyType: 'ec',
    extensions: [
      { name: 'basicConstraints', cA: true },
      { name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] },
    ],
  });
  for (const [file, content] of Object.entries({ 'server.key': key, 'server.crt': cert })) {
    // The server writes the files itself, since it rejects a key owned by another user.
    await run(`COPY (SELECT unnest(string_to_array($$${content.replaceAll('\r', '')}$$, E'\\n')))
      TO PROGRAM 'umask 077 && cat > ${file}'`);
  }
  await run('ALTER SYSTEM SET ssl = on');
  await run('SELECT pg_reload_conf()');
  while ((await run('SHOW ssl'))[0]?.ssl !== 'on') await sleep(10);
  return cert;
}
