/** Formats a Markdown table, with names on the left and numbers on the right. */
export function formatTable(
  head: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string {
  const lines = [head, head.map((_, column) => (column === 0 ? '---' : '--:')), ...rows];
  return lines.map((cells) => `| ${cells.map(formatCell).join(' | ')} |`).join('\n');
}

function formatCell(cell: string | number): string {
  return typeof cell === 'number' ? cell.toLocaleString('en') : cell;
}
