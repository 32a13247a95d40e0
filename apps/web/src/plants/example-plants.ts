import { type Client, storeAll } from '@plant-store/client';
import { suggestId } from '../shared/suggest-id.js';

/** The names, by tag. */
const examples: Readonly<Record<string, readonly string[]>> = {
  houseplant: [
    'Monstera deliciosa',
    'Ficus lyrata',
    'Epipremnum aureum',
    'Sansevieria trifasciata',
    'Spathiphyllum wallisii',
  ],
  shrub: ['Rosa canina', 'Hydrangea macrophylla', 'Lavandula angustifolia', 'Syringa vulgaris'],
  herb: ['Ocimum basilicum', 'Mentha × piperita', 'Thymus vulgaris', 'Salvia rosmarinus'],
  tree: ['Quercus robur', 'Ginkgo biloba', 'Acer palmatum'],
  fern: ['Dryopteris filix-mas', 'Adiantum capillus-veneris'],
  succulent: ['Echeveria elegans', 'Aloe vera'],
};

/**
 * Adds 20 example plants with new IDs.
 *
 * @throws {RejectedError | PlantStoreError | Error} if one of them is not stored, or might not be
 */
export async function addExamplePlants(client: Client): Promise<void> {
  const plants = Object.entries(examples).flatMap(([tag, names]) =>
    names.map((name) => ({ id: BigInt(suggestId()), name, tag })),
  );
  const [rejection] = (await storeAll(client, plants)).rejections;
  if (rejection !== undefined) throw new Error(rejection.message);
}
