import { describe } from 'vitest';
import { testStore } from '../../../../../packages/records/test/conformance/index.js';
import { gardens } from '../../../../../packages/records/test/garden.js';
import { plants } from '../../../../../packages/records/test/plants.js';
import { storesWithShards } from '../../../test/support/database/use-plant-store.js';
import { forgetGardens, garden, openStore, plant } from '../../../test/support/database/use-stores.js';

forgetGardens();

describe.each(storesWithShards())('on %s', (kind) => {
  testStore(plant, plants, () => openStore(kind, plant));
  testStore(garden, gardens, () => openStore(kind, garden));
});
