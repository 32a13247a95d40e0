import type { PlopTypes } from '@turbo/gen';
import { parseOperation } from './src/operation.js';
import { writeOperation } from './src/write-operation.js';

/** The generators of the repository, for `turbo gen` and `pnpm generate`. */
export default function registerGenerators(plop: PlopTypes.NodePlopAPI): void {
  plop.setGenerator('operation', {
    description: 'Adds an operation to the contract, the service, the client and the fake plant store',
    prompts: [
      { type: 'input', name: 'name', message: 'Name, such as getPlant' },
      {
        type: 'list',
        name: 'method',
        message: 'Method',
        choices: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
      },
      { type: 'input', name: 'path', message: 'Path, such as /plants/:id' },
      {
        type: 'list',
        name: 'scope',
        message: 'What does a token need for it?',
        choices: ['create', 'read', 'delete'],
      },
    ],
    actions: [(answers) => writeOperation(plop.getDestBasePath(), parseOperation(answers)).join('\n')],
  });
}
