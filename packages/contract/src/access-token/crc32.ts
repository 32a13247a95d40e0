/**
 * The CRC-32 of a text of ASCII characters (ISO 3309, as gzip and PNG use it), as an unsigned 32-bit integer; bit by bit,
 * since texts are short.
 */
export function crc32(text: string): number {
  let remainder = 0xffffffff;
  for (let index = 0; index < text.length; index++) {
    remainder ^= text.charCodeAt(index);
    for (let bit = 0; bit < 8; bit++) remainder = (remainder >>> 1) ^ (remainder & 1 ? 0xedb88320 : 0);
  }
  return ~remainder >>> 0;
}
