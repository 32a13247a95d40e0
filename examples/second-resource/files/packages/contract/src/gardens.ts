import { boolean, defineResource, int64, int64List, type Resource, text, time } from './resource.js';

export const garden: Resource<'garden', 'gardens'> = defineResource({
  name: 'garden',
  plural: 'gardens',
  fields: {
    name: text({ label: 'Name', description: 'Its name', example: 'Kew', required: true, search: true }),
    area: int64({ label: 'Area', description: 'Its area in mm²', example: 12_000_000, filter: true }),
    isOpen: boolean({
      label: 'Open',
      description: 'Whether visitors may enter',
      example: true,
      required: true,
      filter: true,
    }),
    plantedAt: time({ label: 'Planted at', description: 'Its start', example: '2026-11-25T10:00:00.000Z' }),
    plantIds: int64List({ label: 'Plants', description: 'Their IDs', example: [1, 2], required: true }),
  },
});
