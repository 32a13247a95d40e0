import type { Plant } from '@plant-store/contract';
import type { Samples } from './conformance/index.js';

export const plants: Samples<Plant> = [
  { name: 'Fern', tag: 'outdoor' },
  { name: '🌱 "Rose", \\ and \u0001', tag: '' },
  { name: '' },
];
