import { describe, expect, it } from 'vitest';
import { createLatencyHistogram } from './latency-histogram.js';

describe('a latency histogram', () => {
  it('has percentiles with a resolution of 10 microseconds', () => {
    const latencies = createLatencyHistogram();
    for (let n = 1; n <= 1000; n++) latencies.record(n / 100);
    expect(latencies.count).toBe(1000);
    expect(latencies.percentileMs(0.5)).toBeCloseTo(5, 1);
    expect(latencies.percentileMs(0.99)).toBeCloseTo(9.9, 1);
    expect(latencies.percentileMs(1)).toBeCloseTo(10, 1);
  });

  it('is not affected by one slow reply, except for its maximum', () => {
    const latencies = createLatencyHistogram();
    for (let n = 0; n < 999; n++) latencies.record(0.5);
    latencies.record(8000);
    expect([0.5, 0.99, 1].map((share) => latencies.percentileMs(share))).toEqual([0.5, 0.5, 8000]);
  });

  it('takes a latency below zero for none', () => {
    const latencies = createLatencyHistogram();
    for (const latencyMs of [-0.03, 1]) latencies.record(latencyMs);
    expect([0.5, 1].map((share) => latencies.percentileMs(share))).toEqual([0, 1]);
  });

  it('counts latencies beyond its range, and returns 0 when it is empty', () => {
    const latencies = createLatencyHistogram();
    expect(latencies.percentileMs(0.99)).toBe(0);
    latencies.record(1e9);
    expect(latencies.percentileMs(0.5)).toBe(20_000);
  });
});
