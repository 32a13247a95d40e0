import { countOf, formatCount } from '@plant-store/report';
import { machineLine } from '../environment/machine.js';
import type { ComparisonResults } from './comparison-results.js';

const width = 820;
const barsLeft = 236;
const barsRight = 730;
const top = 84;
const barHeight = 17;
const barStep = 22;
const groupGap = 38;
const axisHeight = 64;

/**
 * Draws the requests/s of a comparison as an SVG: a group of bars for each number of connections, with a bar for each
 * target. Its background is light or dark like the reader's system, so that it is readable on any page.
 */
export function drawChart({ machine, settings, targets, summaries }: ComparisonResults): string {
  const groupHeight = targets.length * barStep + groupGap;
  const bottom = top + settings.connections.length * groupHeight;
  const height = bottom + axisHeight;
  const ticks = axisTicks(Math.max(1, ...summaries.map((summary) => summary.requestsPerSecond)));
  const axisMax = ticks.at(-1) ?? 1;
  const x = (count: number) => round(barsLeft + (count / axisMax) * (barsRight - barsLeft));

  const grid = ticks.map(
    (tick) =>
      `<line class="grid" x1="${x(tick)}" y1="${top}" x2="${x(tick)}" y2="${bottom}"/>` +
      `<text class="faint" x="${x(tick)}" y="${bottom + 18}" text-anchor="middle">${formatCount(tick)}</text>`,
  );
  const groups = settings.connections.map((connections, groupIndex) => {
    const groupTop = top + groupIndex * groupHeight;
    const heading = `<text class="heading" x="24" y="${groupTop + 20}">${countOf(connections, 'connection')}</text>`;
    const bars = targets.map(({ name, title, stores }, barIndex) => {
      const summary = summaries.find((s) => s.target === name && s.connections === connections);
      const y = groupTop + 30 + barIndex * barStep;
      const end = x(summary?.requestsPerSecond ?? 0);
      const figure = summary ? formatCount(summary.requestsPerSecond) : 'not measured';
      const kind = name === 'plant-store' ? 'ours' : stores ? 'other' : 'baseline';
      return (
        `<text class="label" x="${barsLeft - 8}" y="${y + 13}" text-anchor="end">${escapeXml(title)}</text>` +
        `<rect class="${kind}" x="${barsLeft}" y="${y}" width="${round(end - barsLeft)}" height="${barHeight}" rx="2"/>` +
        `<text class="figure" x="${round(end + 6)}" y="${y + 13}">${figure}${summary?.valid === false ? ' INVALID' : ''}</text>`
      );
    });
    return [heading, ...bars].join('\n');
  });

  const rounds = `${countOf(settings.rounds, 'round')} of ${settings.seconds} s`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title">
<title id="title">Creates per second of Plant Store and comparable programs</title>
<style>${style}</style>
<rect class="page" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>
<text class="title" x="24" y="36">Creates per second, each stored durably before its reply</text>
<text class="faint" x="24" y="58">Median of ${rounds}; higher is better. SQLite, WAL, synchronous=FULL for all but the baseline.</text>
${grid.join('\n')}
${groups.join('\n')}
<text class="faint" x="${(barsLeft + barsRight) / 2}" y="${bottom + 36}" text-anchor="middle">requests/s</text>
<text class="faint" x="24" y="${bottom + 54}">${escapeXml(machineLine(machine))}</text>
</svg>
`;
}

const style = `
text { font: 12px system-ui, -apple-system, "Segoe UI", sans-serif; fill: #1f2328; }
.title { font-size: 17px; font-weight: 600; }
.heading, .figure { font-weight: 600; }
.figure { stroke: #ffffff; stroke-width: 4px; paint-order: stroke; }
.faint { fill: #59636e; font-size: 11px; }
.page { fill: #ffffff; stroke: #d1d9e0; }
.grid { stroke: #d1d9e0; }
.ours { fill: #1a7f37; }
.other { fill: #6e8bb7; }
.baseline { fill: none; stroke: #818b98; stroke-dasharray: 3 2; }
@media (prefers-color-scheme: dark) {
  text { fill: #f0f6fc; }
  .figure { stroke: #0d1117; }
  .faint { fill: #9198a1; }
  .page { fill: #0d1117; stroke: #3d444d; }
  .grid { stroke: #2a313a; }
  .ours { fill: #3fb950; }
  .other { fill: #5b7fb5; }
}
`;

/** Round figures from 0 to at least `max`, four to ten steps apart. */
function axisTicks(max: number): number[] {
  const magnitude = 10 ** Math.floor(Math.log10(max));
  const step =
    [0.2, 0.5, 1, 2].map((factor) => factor * magnitude).find((size) => max / size <= 8) ?? magnitude;
  return Array.from({ length: Math.ceil(max / step) + 1 }, (_, index) => index * step);
}

function round(coordinate: number): number {
  return Math.round(coordinate * 10) / 10;
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
