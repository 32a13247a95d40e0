import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  findMissingProgram,
  runSystemProgram,
  succeeds,
  systemEnvironment,
} from '../service/system-programs.js';

/** Only a process that does not end takes this long, even on a busy machine. */
const unmountTimeoutMs = 120_000;

/** A file system of its own, ext4 in a file. */
export interface FileSystem {
  /** Where it is mounted. */
  readonly path: string;
  mount(): Promise<void>;
  /** Unmounts it as soon as no process uses it any more. */
  unmount(): Promise<void>;
  /**
   * Stops it at once, as if the machine lost its power: what is not on the disk by now never will be, and all reads and writes
   * fail until it is unmounted and mounted.
   */
  losePower(): Promise<void>;
  /** Makes it read-only, as the kernel does after an error of the disk, until it is unmounted and mounted. */
  makeReadOnly(): Promise<void>;
  /** Lets every write to it wait, until `thaw`. */
  freeze(): Promise<void>;
  thaw(): Promise<void>;
}

/** What is missing on this machine to create a file system; `undefined` if it can be done. */
export async function findObstacle(): Promise<string | undefined> {
  const missing = await findMissingProgram(['mount', 'umount', 'findmnt', 'mkfs.ext4', 'fsfreeze', 'perl']);
  if (missing !== undefined) return missing;
  return existsSync('/dev/loop-control') ? undefined : 'It needs loop devices, and the right to mount.';
}

/**
 * EXT4_IOC_SHUTDOWN with EXT4_GOING_FLAGS_NOLOGFLUSH, from fs/ext4/ext4.h of Linux. Node.js has no ioctl.
 */
const shutDownProgram = `open(my $f, "<", $ARGV[0]) or die $!; my $flags = pack("L", 2); ioctl($f, 0x8004587d, $flags) or die $!`;

/** Creates and mounts a file system in a folder. */
async function createFileSystem(folder: string, megabytes: number): Promise<FileSystem> {
  const image = join(folder, 'disk.img');
  const path = join(folder, 'disk');
  mkdirSync(path);
  // PostgreSQL runs as another user than root.
  chmodSync(folder, 0o711);
  writeFileSync(image, '');
  truncateSync(image, megabytes * 1024 * 1024);
  // Without blocks that only root may use, since the service may run as root.
  await runSystemProgram('mkfs.ext4', '-q', '-m', '0', image);
  const fileSystem: FileSystem = {
    path,
    mount: async () => void (await runSystemProgram('mount', '-o', 'loop,errors=remount-ro', image, path)),
    unmount: () => unmount(path),
    losePower: async () => void (await runSystemProgram('perl', '-e', shutDownProgram, path)),
    async makeReadOnly() {
      writeFileSync(`/sys/fs/ext4/${await findDevice(path)}/trigger_fs_error`, 'proof');
    },
    freeze: async () => void (await runSystemProgram('fsfreeze', '--freeze', path)),
    thaw: async () => void (await runSystemProgram('fsfreeze', '--unfreeze', path)),
  };
  await fileSystem.mount();
  return fileSystem;
}

/** Runs a trial with a new file system, and unmounts it afterwards, however the trial ends. */
export async function withFileSystem<T>(
  folder: string,
  megabytes: number,
  trial: (fileSystem: FileSystem) => Promise<T>,
): Promise<T> {
  const fileSystem = await createFileSystem(folder, megabytes);
  const unmountAtExit = () => unmountNow(fileSystem.path);
  process.prependListener('exit', unmountAtExit);
  try {
    return await trial(fileSystem);
  } finally {
    process.off('exit', unmountAtExit);
    unmountNow(fileSystem.path);
  }
}

/** Unmounts it, as soon as nothing uses it any more, and thaws it before, since otherwise that would wait. */
function unmountNow(path: string): void {
  const commands: [string, ...string[]][] = [
    ['fsfreeze', '--unfreeze', path],
    ['umount', '--lazy', path],
  ];
  for (const [program, ...args] of commands) spawnSync(program, args, { env: systemEnvironment });
}

async function unmount(path: string): Promise<void> {
  const device = await findDevice(path);
  const inUse = async () =>
    !(await succeeds(runSystemProgram('umount', path))) && (await succeeds(findDevice(path)));
  await untilFree(inUse, `${path} is used by a process`);
  // Somebody may have a copy of the mounts, in which the file system as it is now would go on.
  const loop = `/sys/block/${device}/loop/backing_file`;
  await untilFree(async () => existsSync(loop), `another mount namespace has ${path}`);
}

/** The name of the device that is mounted, such as `loop0`. */
async function findDevice(path: string): Promise<string> {
  const source = await runSystemProgram('findmnt', '--noheadings', '--output', 'SOURCE', path);
  return source.replace('/dev/', '');
}

async function untilFree(inUse: () => Promise<boolean>, reason: string): Promise<void> {
  const deadline = performance.now() + unmountTimeoutMs;
  while (await inUse()) {
    if (performance.now() > deadline)
      throw new Error(`It took more than ${unmountTimeoutMs / 1000} s: ${reason}`);
    await delay(10);
  }
}
