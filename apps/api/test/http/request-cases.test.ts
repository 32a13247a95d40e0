import { requestCases } from '../../../../packages/contract/test/request-cases.js';
import { testCases } from '../support/test-cases.js';

testCases(requestCases);
