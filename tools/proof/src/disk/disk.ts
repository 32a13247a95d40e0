import type { Proof } from '../proof.js';
import { breakDisk } from './break-disk.js';
import { holdLock } from './hold-lock.js';
import { loseFile } from './lose-file.js';

/** Locks the SQLite file, takes it away, and fills, stalls and breaks the disk that it is on, all under load. */
export const disk: Proof = async (context) => [
  await holdLock(context),
  await loseFile(context),
  ...(await breakDisk(context)),
];
