export { listAll } from '@plant-store/client/list';
