export {
  createClient,
  isNetworkError,
  isPlantStoreError,
  isTimeoutError,
  isUnexpectedResponseError,
  NetworkError,
  PlantStoreError,
  TimeoutError,
  UnexpectedResponseError,
} from '@plant-store/client';
