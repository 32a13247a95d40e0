import { operationsByName } from '../resources.js';

export const { show: showStoredPlant } = operationsByName.plant;
