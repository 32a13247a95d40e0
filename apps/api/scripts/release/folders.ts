import { fileURLToPath } from 'node:url';

/** The root folder of the repository, and that of the service's package. */
export const root = fileURLToPath(new URL('../../../..', import.meta.url)).replace(/\/$/, '');
export const packageFolder = `${root}/apps/api`;
