import * as z from 'zod';

// By default, zod compiles schemas with `new Function`, which the Content-Security-Policy forbids.
// Import this module before the contract modules, because it must run before a schema is created.
z.config({ jitless: true });
