import { test } from 'node:test';
import { storesAPlant } from './stores-a-plant.js';

test('stores a plant', storesAPlant);
