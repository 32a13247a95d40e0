import { operationsByName } from '../resources.js';

export const { isReplay } = operationsByName.plant;
