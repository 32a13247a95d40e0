// For the runners with global functions: Vitest (with `globals`), Jest, Mocha, `bun test`.
import { storesAPlant } from './stores-a-plant.js';

it('stores a plant', storesAPlant);
