// Loaded only when several plants are deleted at once.
export { deleteAll } from '@plant-store/client';
