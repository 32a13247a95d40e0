import { defineResource, type Resource, text } from './resource.js';

export const plant: Resource<'plant', 'plants'> = defineResource({
  name: 'plant',
  plural: 'plants',
  fields: {
    name: text({
      label: 'Name',
      description: 'The name of the plant',
      example: 'Monstera deliciosa',
      required: true,
      search: true,
    }),
    tag: text({
      label: 'Tag',
      description: 'Tag that specifies the type of the plant',
      example: 'houseplant',
      filter: true,
    }),
  },
});
