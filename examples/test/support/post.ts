/** Sends JSON to an example that is a service; resolves to the status and the body of its reply. */
export async function post(url: string, body: unknown, headers: Readonly<Record<string, string>> = {}) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return [response.status, await response.json()];
}
