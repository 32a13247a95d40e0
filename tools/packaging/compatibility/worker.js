// A Worker that calls the service in its configuration.
import { callService } from './call-service.js';

export default {
  async fetch(_request, { SERVICE }) {
    return Response.json(await callService(JSON.parse(SERVICE)));
  },
};
