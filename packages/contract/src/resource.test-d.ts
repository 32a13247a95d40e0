import { it } from 'vitest';
import { defineResource, text } from './resource.js';

const note = text({ label: 'Note', description: 'A note', example: 'a' });
const plant = { name: 'plant', plural: 'plants' } as const;

it('no field has a name that is reserved in records, tables, files, or queries', () => {
  defineResource({ ...plant, fields: { note } });
  // @ts-expect-error The member of each reply.
  defineResource({ ...plant, fields: { idText: note } });
  // @ts-expect-error The column of who created a record.
  defineResource({ ...plant, fields: { addedBy: note } });
  // @ts-expect-error The column of the number of the last change.
  defineResource({ ...plant, fields: { changePlace: note } });
  // @ts-expect-error The parameter of the size of a page.
  defineResource({ ...plant, fields: { limit: note } });
});
