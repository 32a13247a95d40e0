export { createHandlers } from '@plant-store/client/msw';
