import { openConnection } from './send-raw.js';
import { until } from './until.js';

/** Resolves once a service that is stopping accepts no more connections: with workers, once all of them have begun to stop. */
export async function untilRefused({ baseUrl }: { readonly baseUrl: string }): Promise<void> {
  await until(async () => {
    try {
      (await openConnection(baseUrl)).destroy();
      return false;
    } catch (error) {
      return error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED';
    }
  });
}
