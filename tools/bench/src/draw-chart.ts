import { countOf, formatFigure } from './report.js';
import { defaultResource } from './resource.js';
import type { Comparison } from './results.js';

// The positions and sizes are in pixels.
const barsLeft = 244;
const barsWidth = 486;
const barsTop = 66;
const barStep = 24;

/** The number of connections that the chart shows if it was measured. */
const preferredConnections = 64;

/**
 * Draws a comparison's requests per second as an SVG chart, at 64 connections or, if that was not measured, at the highest measured number.
 * Each target that stores records gets a bar, fastest first. A note below the bars lists the baselines, which store nothing. The colors adapt
 * to the reader's light or dark mode.
 */
export function drawChart({ machine, settings, targets, summaries }: Comparison): string {
  const measuredConnections = summaries.map((summary) => summary.connections);
  const connections = measuredConnections.includes(preferredConnections)
    ? preferredConnections
    : Math.max(...measuredConnections);
  const shown = targets.flatMap((target) =>
    summaries
      .filter((summary) => summary.target === target.name && summary.connections === connections)
      .map((summary) => ({ ...target, ...summary })),
  );
  const bars = shown
    .filter(({ stores }) => stores)
    .toSorted((a, b) => b.requestsPerSecond - a.requestsPerSecond);
  const bottom = barsTop + bars.length * barStep;
  const rows = bars.map(({ name, title, requestsPerSecond, valid }, index) => {
    const y = barsTop + index * barStep;
    const length = Math.round((requestsPerSecond / (bars[0]?.requestsPerSecond ?? 1)) * barsWidth * 10) / 10;
    const kind = name === 'plant-store' ? 'ours' : 'other';
    return (
      `<text class="${kind}" x="${barsLeft - 10}" y="${y + 13}" text-anchor="end">${escapeXml(title)}</text>` +
      `<rect class="${kind}" x="${barsLeft}" y="${y}" width="${length}" height="18" rx="2"/>` +
      `<text class="figure" x="${barsLeft + length + 8}" y="${y + 13}">${formatFigure(requestsPerSecond)}${valid ? '' : ' INVALID'}</text>`
    );
  });
  const baselines = shown
    .filter(({ stores }) => !stores)
    .map(({ title, requestsPerSecond }) => `Baseline (${title}): ${formatFigure(requestsPerSecond)}. `);
  const rounds = `Median of ${countOf(settings.rounds, 'round')} of ${settings.seconds} s`;
  const environment = `${machine.cpu}, ${machine.cores} cores shared with the load generator, disk synced in ${formatFigure(machine.syncMs)} ms, Node.js ${machine.node.slice(1)}, ${machine.date.slice(0, 10)}.`;

  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 820 ${bottom + 50}" width="820" height="${bottom + 50}" role="img" aria-labelledby="title">
<title id="title">Creates per second of Plant Store and comparable services at ${countOf(connections, 'connection')}</title>
<style>${style}</style>
<rect class="page" x="0.5" y="0.5" width="819" height="${bottom + 49}" rx="8"/>
<text class="title" x="20" y="29">Creates per second at ${countOf(connections, 'connection')}</text>
<text class="note" x="20" y="49">Each ${defaultResource.name} is synced to disk before its reply: SQLite, WAL, synchronous=FULL. More is better.</text>
${rows.join('\n')}
<text class="note" x="20" y="${bottom + 18}">${escapeXml(`${baselines.join('')}${rounds}.`)}</text>
<text class="note" x="20" y="${bottom + 36}">${escapeXml(environment)}</text>
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

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
