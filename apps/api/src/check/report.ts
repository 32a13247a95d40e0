import type { Finding, Status } from './finding.js';

const severities: readonly Status[] = ['ok', 'warning', 'error'];

/** The worst status among findings. */
export function worstOf(findings: readonly Finding[]): Status {
  return severities.findLast((status) => findings.some((finding) => finding.status === status)) ?? 'ok';
}

/** One line: status, item, what was found, and what to do. */
export function formatFinding({ status, item, found, advice }: Finding): string {
  const text = [found, advice ?? ''].flatMap((part) => part.split('\n')).map(toSentence);
  return `${status.padEnd(7)}  ${item}: ${text.filter((sentence) => sentence !== '').join(' ')}\n`;
}

function toSentence(line: string): string {
  const text = line.trim();
  return text === '' || /[.!?]$/.test(text) ? text : `${text}.`;
}

/** The same findings as one JSON document, for scripts. */
export function formatJson(findings: readonly Finding[]): string {
  const ordered = findings.map(({ item, status, found, advice }) => ({ item, status, found, advice }));
  return `${JSON.stringify({ status: worstOf(findings), findings: ordered }, null, 2)}\n`;
}
