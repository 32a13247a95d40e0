/** The least load that a measurement takes: each of them waits for its first reply at least. */
export const shortComparison = { rounds: 1, seconds: 0.1, warmupSeconds: 0.1, connections: [2] };
