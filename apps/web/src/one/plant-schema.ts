/** The contract's own check of a plant, in a chunk of its own: it brings zod, which the first view does without. */
export { NewPlantSchema } from '@plant-store/contract';
