export * from '@plant-store/client';
