import { operationCases } from '../../../../packages/contract/test/operation-cases.js';
import { testCases } from '../support/test-cases.js';

testCases(operationCases);
