export type { Client, ReplyOf, RequestOf } from './client.js';
export { type ClientOptions, createClient } from './create-client.js';
export { isNetworkError, NetworkError } from './errors/network-error.js';
export { isPlantStoreError, PlantStoreError } from './errors/plant-store-error.js';
export { isUnexpectedResponseError, UnexpectedResponseError } from './errors/unexpected-response-error.js';
export type { Fetch } from './exchange.js';
