export { storeAll } from '@plant-store/client/bulk';
