/**
 * How much later than promised a test may observe something, in milliseconds: the promised time does not depend on the
 * machine, but what a test measures includes work, and a machine may be ten times slower than usual.
 */
export const slackMs = 10_000;
