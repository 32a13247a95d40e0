import { boolean, defineResource, int64, int64List, type Resource, text, time } from './resource.js';

export const garden: Resource<'garden', 'gardens'> = defineResource({
  name: 'garden',
  plural: 'gardens',
  fields: {
    name: text({
      label: 'Name',
      description: 'The name of the garden',
      example: 'Kew',
      required: true,
      search: true,
    }),
    area: int64({
      label: 'Area',
      description: 'Its area in square millimeters',
      example: 12_000_000,
      filter: true,
    }),
    isOpen: boolean({
      label: 'Open',
      description: 'Whether visitors may enter',
      example: true,
      required: true,
      filter: true,
    }),
    plantedAt: time({
      label: 'Planted at',
      description: 'When it was planted',
      example: '2026-11-25T10:00:00.000Z',
    }),
    plantIds: int64List({
      label: 'Plants',
      description: 'The IDs of its plants',
      example: [1, 2],
      required: true,
    }),
  },
});
