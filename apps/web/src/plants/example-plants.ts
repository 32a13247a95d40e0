import { type Client, storeAll } from '@plant-store/client';
import type { Plant } from '@plant-store/contract/operations';
import { suggestId } from '../shared/suggest-id.js';

const examples: readonly Plant[] = [
  { name: 'Monstera deliciosa', tag: 'houseplant' },
  { name: 'Ficus lyrata', tag: 'houseplant' },
  { name: 'Epipremnum aureum', tag: 'houseplant' },
  { name: 'Sansevieria trifasciata', tag: 'houseplant' },
  { name: 'Spathiphyllum wallisii', tag: 'houseplant' },
  { name: 'Rosa canina', tag: 'shrub' },
  { name: 'Hydrangea macrophylla', tag: 'shrub' },
  { name: 'Lavandula angustifolia', tag: 'shrub' },
  { name: 'Syringa vulgaris', tag: 'shrub' },
  { name: 'Ocimum basilicum', tag: 'herb' },
  { name: 'Mentha × piperita', tag: 'herb' },
  { name: 'Thymus vulgaris', tag: 'herb' },
  { name: 'Salvia rosmarinus', tag: 'herb' },
  { name: 'Quercus robur', tag: 'tree' },
  { name: 'Ginkgo biloba', tag: 'tree' },
  { name: 'Acer palmatum', tag: 'tree' },
  { name: 'Dryopteris filix-mas', tag: 'fern' },
  { name: 'Adiantum capillus-veneris', tag: 'fern' },
  { name: 'Echeveria elegans', tag: 'succulent' },
  { name: 'Aloe vera', tag: 'succulent' },
];

/**
 * Adds twenty plants under free ids.
 *
 * @throws {RejectedError | PlantStoreError | Error} when one of them is not stored, or not certainly
 */
export async function addExamplePlants(client: Client): Promise<void> {
  const plants = examples.map((plant) => ({ ...plant, id: BigInt(suggestId()) }));
  const [rejection] = (await storeAll(client, plants)).rejections;
  if (rejection !== undefined) throw new Error(rejection.message);
}
