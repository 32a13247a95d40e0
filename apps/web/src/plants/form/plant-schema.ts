/** The contract's check of a plant, in a separate chunk because it loads zod, which the first view does not need. */
import '../../shared/avoid-eval.js';

export { NewPlantSchema } from '@plant-store/contract';
