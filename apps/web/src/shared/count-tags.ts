// Loaded only when tags are counted.
export { countTags } from '@plant-store/client';
