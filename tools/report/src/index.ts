export { countOf, formatCount, formatMemory, formatMs, formatRatio } from './format-figures.js';
export { formatTable } from './format-table.js';
export { median } from './median.js';
