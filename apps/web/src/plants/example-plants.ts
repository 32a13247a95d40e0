import { createClient } from '@plant-store/client';
import { storeAll } from '@plant-store/client/bulk';
import { suggestId } from '../shared/suggest-id.js';

/** Names and tags. */
const examples = [
  ['Monstera deliciosa', 'houseplant'],
  ['Ficus lyrata', 'houseplant'],
  ['Epipremnum aureum', 'houseplant'],
  ['Sansevieria trifasciata', 'houseplant'],
  ['Spathiphyllum wallisii', 'houseplant'],
  ['Rosa canina', 'shrub'],
  ['Hydrangea macrophylla', 'shrub'],
  ['Lavandula angustifolia', 'shrub'],
  ['Syringa vulgaris', 'shrub'],
  ['Ocimum basilicum', 'herb'],
  ['Mentha × piperita', 'herb'],
  ['Thymus vulgaris', 'herb'],
  ['Salvia rosmarinus', 'herb'],
  ['Quercus robur', 'tree'],
  ['Ginkgo biloba', 'tree'],
  ['Acer palmatum', 'tree'],
  ['Dryopteris filix-mas', 'fern'],
  ['Adiantum capillus-veneris', 'fern'],
  ['Echeveria elegans', 'succulent'],
  ['Aloe vera', 'succulent'],
] as const;

/**
 * Adds twenty plants under free ids.
 *
 * @throws {RejectedError | PlantStoreError | Error} when one of them is not stored, or not certainly
 */
export async function addExamplePlants(token: string): Promise<void> {
  const client = createClient({ baseUrl: location.origin, token });
  const plants = examples.map(([name, tag]) => ({ id: BigInt(suggestId()), name, tag }));
  for await (const { message } of storeAll(client, plants)) throw new Error(message);
}
