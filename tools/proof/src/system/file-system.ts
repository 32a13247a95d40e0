import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Engine, type TestBed, withFolder, withServer } from './databases.js';
import { findMissingProgram, runSystemProgram, succeeds, systemEnvironment, waitUntil } from './programs.js';

/** Returns why this machine cannot create a file system, or `undefined` if it can. */
export async function findMissingFileSystemSupport(): Promise<string | undefined> {
  const missing = await findMissingProgram('mount', 'umount', 'findmnt', 'mkfs.ext4', 'fsfreeze', 'perl');
  if (missing !== undefined) return missing;
  return existsSync('/dev/loop-control') ? undefined : 'It needs loop devices, and permission to mount.';
}

/** A test bed with a separate file system for the databases. */
export interface Disk extends TestBed {
  readonly fileSystem: FileSystem;
}

/** Runs an action with a new file system. Removes it afterward, even if the action fails. */
export function withDisk<T>(engine: Engine, megabytes: number, run: (disk: Disk) => Promise<T>): Promise<T> {
  return withFolder(async (folder) => {
    const image = join(folder, 'disk.img');
    const path = join(folder, 'disk');
    mkdirSync(path);
    writeFileSync(image, '');
    truncateSync(image, megabytes * 1024 * 1024);
    // Reserves no blocks for root, because the service can run as root.
    await runSystemProgram('mkfs.ext4', '-q', '-m', '0', image);
    const fileSystem = new FileSystem(image, path);
    const unmountNow = () => {
      // Unmounting would wait until the file system is thawed.
      spawnSync('fsfreeze', ['--unfreeze', path], { env: systemEnvironment });
      spawnSync('umount', ['--lazy', path], { env: systemEnvironment });
    };
    process.prependListener('exit', unmountNow);
    try {
      await fileSystem.mount();
      return await withServer(engine, path, (testBed) => run({ ...testBed, folder, fileSystem }));
    } finally {
      process.off('exit', unmountNow);
      unmountNow();
    }
  });
}

/** EXT4_IOC_SHUTDOWN with EXT4_GOING_FLAGS_NOLOGFLUSH, from fs/ext4/ext4.h of Linux. In Perl, because Node.js has no ioctl. */
const shutDownProgram = `open(my $f, "<", $ARGV[0]) or die $!; my $flags = pack("L", 2); ioctl($f, 0x8004587d, $flags) or die $!`;

/** An ext4 file system in a file. */
class FileSystem {
  constructor(
    private readonly image: string,
    /** The mount point. */
    readonly path: string,
  ) {}

  async mount(): Promise<void> {
    await runSystemProgram('mount', '-o', 'loop,errors=remount-ro', this.image, this.path);
  }

  /** Unmounts the file system as soon as no process uses it. */
  async unmount(): Promise<void> {
    const device = await this.findDevice();
    const isUnmounted = async () =>
      (await succeeds(runSystemProgram('umount', this.path))) || !(await succeeds(this.findDevice()));
    await waitUntil(isUnmounted, `no process uses ${this.path}`);
    // Another mount namespace can have a copy of the mounts, which keeps the file system mounted.
    const loopFile = `/sys/block/${device}/loop/backing_file`;
    await waitUntil(() => !existsSync(loopFile), `no other mount namespace has ${this.path}`);
  }

  /**
   * Shuts the file system down immediately, as in a power failure. Data that is not on disk yet is lost, and all reads and writes fail
   * until the next mount.
   */
  async losePower(): Promise<void> {
    await runSystemProgram('perl', '-e', shutDownProgram, this.path);
  }

  /** Makes the file system read-only until the next mount, as the kernel does after a disk error. */
  async makeReadOnly(): Promise<void> {
    writeFileSync(`/sys/fs/ext4/${await this.findDevice()}/trigger_fs_error`, 'proof');
  }

  /** Blocks all writes until `thaw`. */
  async freeze(): Promise<void> {
    await runSystemProgram('fsfreeze', '--freeze', this.path);
  }

  async thaw(): Promise<void> {
    await runSystemProgram('fsfreeze', '--unfreeze', this.path);
  }

  /** Returns the name of the mounted device, such as `loop0`. */
  private async findDevice(): Promise<string> {
    const source = await runSystemProgram('findmnt', '--noheadings', '--output', 'SOURCE', this.path);
    return source.replace('/dev/', '');
  }
}
