import { routes } from '@plant-store/contract/routes';

/**
 * A `curl` that stores a plant, on one line, for a POSIX shell.
 *
 * @param baseUrl the URL of the service, such as `http://127.0.0.1:3000`
 * @param token what the shell replaces by the access token, within double quotes, such as `$TOKEN`
 */
export function createCurl(baseUrl: string, token: string): string {
  const plant = '{"id": 1, "name": "Monstera deliciosa", "tag": "houseplant"}';
  return `curl -i ${baseUrl}${routes.createPlant.path} -H "Authorization: Bearer ${token}" -H 'Content-Type: application/json' -d '${plant}'`;
}
