/** The contract's own check of a plant, in a chunk of its own: it brings zod, which the first view does without. */
import '../../shared/avoid-eval.js';

export { NewPlantSchema } from '@plant-store/contract';
