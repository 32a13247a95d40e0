// What a library exports: under `isolatedDeclarations` with its types.
import {
  type Client,
  createClient,
  type ErrorOf,
  type ReplyOf,
  type RequestOf,
  type StoredPlant,
} from '@plant-store/client';

export const client: Client = createClient({ baseUrl: 'https://plants.example.com', token: 'pst_example' });

export function findPlant(id: bigint): Promise<ReplyOf<'getPlant'>> {
  return client.getPlant({ params: { id } });
}

export interface Stored {
  readonly request: RequestOf<'createPlant'>;
  readonly plant: StoredPlant;
  readonly error?: ErrorOf<'createPlant'>;
}
