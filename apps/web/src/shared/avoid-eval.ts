import * as z from 'zod';

// zod would compile its schemas with `new Function`, and try whether it may: a violation of the Content-Security-Policy.
// This must run before the schemas are created, so this module is imported before those of the contract.
z.config({ jitless: true });
