import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** How long systemd may take to receive it, in milliseconds. */
const timeoutMs = 10_000;

/**
 * Reports to systemd that the service has started, for units of `Type=notify` (sd_notify(3)). `systemd-notify` sends it,
 * since Node.js has no datagram sockets of the Unix domain; so the unit needs `NotifyAccess=all`.
 *
 * @param environment has `NOTIFY_SOCKET` when started by such a unit; otherwise nothing is done
 * @throws {Error} of `systemd-notify`; the unit then fails after its `TimeoutStartSec`
 */
export async function notifySystemd(
  environment: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  if (!environment['NOTIFY_SOCKET']) return;
  await promisify(execFile)('systemd-notify', ['--ready'], { env: { ...environment }, timeout: timeoutMs });
}
