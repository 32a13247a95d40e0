/** The schema of a plant. A separate chunk, because it loads zod, which the first view does not need. */
import '../../shared/avoid-eval.js';

export { NewPlantSchema } from '@plant-store/contract';
