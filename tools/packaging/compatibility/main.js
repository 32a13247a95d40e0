// Bundled: calls the service that `run-bundle.js` sets, so that it needs no API of a runtime.
import { callService } from './call-service.js';

globalThis.called = callService(globalThis.service);
