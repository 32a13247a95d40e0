/**
 * PostgreSQL's `hashint8`, by which Citus assigns a row to a shard: a signed 32-bit integer. From `hashint8` in
 * src/backend/access/hash/hashfunc.c and `hash_bytes_uint32` in src/common/hashfn.c (PostgreSQL 15), the final mixing of Bob
 * Jenkins' lookup3 (https://burtleburtle.net/bob/c/lookup3.c, public domain).
 */
export function hashId(id: bigint): number {
  const low = Number(BigInt.asIntN(32, id));
  const high = Number(BigInt.asIntN(32, id >> 32n));
  // An id that fits into 32 bits has the hash of an `integer` of the same value.
  return hashUint32(low ^ (id >= 0n ? high : ~high));
}

/** The three words that the hash begins with, for a key of four bytes. */
const initial = (0x9e3779b9 + 4 + 3_923_095) | 0;

function hashUint32(key: number): number {
  let a = (initial + key) | 0;
  let b = initial;
  let c = initial;
  c = ((c ^ b) - rotate(b, 14)) | 0;
  a = ((a ^ c) - rotate(c, 11)) | 0;
  b = ((b ^ a) - rotate(a, 25)) | 0;
  c = ((c ^ b) - rotate(b, 16)) | 0;
  a = ((a ^ c) - rotate(c, 4)) | 0;
  b = ((b ^ a) - rotate(a, 14)) | 0;
  return ((c ^ b) - rotate(b, 24)) | 0;
}

const rotate = (word: number, bits: number) => (word << bits) | (word >>> (32 - bits));
