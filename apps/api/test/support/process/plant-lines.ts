/** A plant as a line of NDJSON. */
export function plantLine(id: number | bigint, name = `plant ${id}`): string {
  return `{"id":${id},"name":${JSON.stringify(name)}}\n`;
}
