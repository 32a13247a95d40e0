// For the runners with global functions: Vitest (with `globals`), Jest, Mocha, `bun test`.
import { storesAPlant } from './stores-a-plant.js';

const test = globalThis.test ?? globalThis.it;
test('stores a plant', storesAPlant);
