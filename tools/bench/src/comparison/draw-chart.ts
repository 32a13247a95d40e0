import { countOf, formatCount, formatMs } from '@plant-store/report';
import type { ComparisonResults } from './comparison-results.js';

const width = 820;
const margin = 20;
const barsLeft = 212;
const barsRight = 730;
const top = 66;
const barHeight = 18;
const barStep = 24;

/**
 * Draws the requests/s of a comparison as an SVG, at 64 connections or, without these, at the most that were measured: a bar for
 * each target that stores, the fastest first, and the others in a note. Its background is light or dark like the reader's
 * system, so that it is readable on any page.
 */
export function drawChart({ machine, settings, targets, summaries }: ComparisonResults): string {
  const connections = settings.connections.includes(64) ? 64 : Math.max(...settings.connections);
  const shown = targets.flatMap((target) =>
    summaries
      .filter((summary) => summary.target === target.name && summary.connections === connections)
      .map((summary) => ({ ...target, ...summary })),
  );
  const bars = shown
    .filter(({ stores }) => stores)
    .toSorted((a, b) => b.requestsPerSecond - a.requestsPerSecond);
  const scale = (barsRight - barsLeft) / Math.max(1, ...bars.map((bar) => bar.requestsPerSecond));
  const bottom = top + bars.length * barStep;
  const height = bottom + 50;

  const rows = bars.map(({ name, title, requestsPerSecond, valid }, index) => {
    const y = top + index * barStep;
    const length = round(requestsPerSecond * scale);
    const kind = name === 'plant-store' ? 'ours' : 'other';
    return (
      `<text class="${kind}" x="${barsLeft - 10}" y="${y + 13}" text-anchor="end">${escapeXml(title)}</text>` +
      `<rect class="${kind}" x="${barsLeft}" y="${y}" width="${length}" height="${barHeight}" rx="2"/>` +
      `<text class="figure" x="${barsLeft + length + 8}" y="${y + 13}">${formatCount(requestsPerSecond)}${valid ? '' : ' INVALID'}</text>`
    );
  });
  const baselines = shown
    .filter(({ stores }) => !stores)
    .map(({ title, requestsPerSecond }) => `Baseline (${title}): ${formatCount(requestsPerSecond)}. `);
  const rounds = `Median of ${countOf(settings.rounds, 'round')} of ${settings.seconds} s`;
  const place = `${machine.cpu}, ${machine.cores} cores shared with the load generator, disk synced in ${formatMs(machine.syncMs)} ms, Node.js ${machine.node.slice(1)}, ${machine.date.slice(0, 10)}.`;

  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title">
<title id="title">Creates per second of Plant Store and comparable services at ${countOf(connections, 'connection')}</title>
<style>${style}</style>
<rect class="page" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>
<text class="title" x="${margin}" y="29">Creates per second at ${countOf(connections, 'connection')}</text>
<text class="note" x="${margin}" y="49">Each plant is synced to disk before its reply: SQLite, WAL, synchronous=FULL. More is better.</text>
${rows.join('\n')}
<text class="note" x="${margin}" y="${bottom + 18}">${escapeXml(`${baselines.join('')}${rounds}.`)}</text>
<text class="note" x="${margin}" y="${bottom + 36}">${escapeXml(place)}</text>
</svg>
`;
}

const style = `
text { font: 13px system-ui, -apple-system, "Segoe UI", sans-serif; fill: #1f2328; }
.title { font-size: 16px; font-weight: 600; }
.figure, text.ours { font-weight: 600; }
.note { fill: #59636e; font-size: 12px; }
.page { fill: #ffffff; stroke: #d1d9e0; }
rect.ours { fill: #1a7f37; }
rect.other { fill: #8c959f; }
@media (prefers-color-scheme: dark) {
  text { fill: #f0f6fc; }
  .note { fill: #9198a1; }
  .page { fill: #0d1117; stroke: #3d444d; }
  rect.ours { fill: #3fb950; }
  rect.other { fill: #656c76; }
}
`;

function round(coordinate: number): number {
  return Math.round(coordinate * 10) / 10;
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
