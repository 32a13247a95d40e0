import { ensureSuccess, unwrap } from '../unwrap/index.js';
import type { AnyOperation, OperationUtils, SelectOptions } from './operation-utils.js';

/** The options of each operation of a client for TanStack Query, by the operation's name. */
export type TanstackQueryUtils<Client> = {
  readonly [Name in keyof Client]: Client[Name] extends AnyOperation
    ? OperationUtils<Name, Client[Name]>
    : never;
};

/**
 * Creates options for TanStack Query 5 from a client, for each of its operations. They are plain data and functions, so
 * every adapter takes them: React, Vue, Solid, Svelte.
 *
 * A mutation ends with a `RejectedError` when the service rejects the request, its `number` typed by the errors that are
 * listed for the operation, and with a `PlantStoreError` when no reply came. `retry` never retries, whatever the defaults
 * of the `QueryClient` are: the client has done so, as its options say. `networkMode` stays that of the `QueryClient`.
 *
 * @example
 * import { useMutation } from '@tanstack/react-query';
 * import { createClient, errors } from '@plant-store/client';
 * import { createTanstackQueryUtils, isRejectedError } from '@plant-store/client/tanstack-query';
 *
 * const plantStore = createTanstackQueryUtils(createClient({ baseUrl: location.origin, token: 'pst_…' }));
 *
 * const { mutate, data, error } = useMutation(plantStore.createPlant.mutationOptions());
 * mutate({ body: { id: 9223372036854775807n, name: 'Monstera deliciosa' } });
 * if (isRejectedError(error, errors.id_taken.error)) chooseAnotherId();
 */
export function createTanstackQueryUtils<Client extends object>(client: Client): TanstackQueryUtils<Client> {
  const operations = Object.entries<AnyOperation>(client as Record<string, AnyOperation>);
  const utils: Record<string, unknown> = Object.fromEntries(
    operations.map(([name, operation]) => [name, createUtils(name, operation)]),
  );
  return utils as TanstackQueryUtils<Client>;
}

function createUtils(name: string, operation: AnyOperation) {
  return {
    mutationOptions: (options?: SelectOptions<AnyOperation, unknown>) => ({
      mutationKey: ['plant-store', name],
      mutationFn: (request: unknown) => {
        const reply = operation(request);
        return options ? reply.then(ensureSuccess).then(options.select) : unwrap(reply);
      },
      retry: () => false,
    }),
  };
}
