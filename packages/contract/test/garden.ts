import { boolean, int64, int64List, type Resource, text, time } from '../src/resource.js';

/** A resource with one field of each kind. */
export const garden: Resource<'garden'> = {
  name: 'garden',
  plural: 'gardens',
  fields: {
    name: text({ label: 'Name', description: 'Its name', example: 'East', required: true, search: true }),
    area: int64({ label: 'Area', description: 'In m²', example: 9007199254740993n, filter: true }),
    isOpen: boolean({ label: 'Open', description: 'To all', example: true, required: true, filter: true }),
    plantedAt: time({ label: 'Planted at', description: 'When', example: '2026-11-25T10:00:00.000Z' }),
    plantIds: int64List({ label: 'Plants', description: 'Its plants', example: [1, 2n], required: true }),
  },
};
