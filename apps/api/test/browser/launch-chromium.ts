import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/**
 * Starts the Chromium at `CHROMIUM_PATH`, by default that of Debian's package.
 *
 * @throws {Error} with instructions for installing it if it is missing
 */
export async function launchChromium(): Promise<Browser> {
  const executablePath = process.env['CHROMIUM_PATH'] || '/usr/bin/chromium';
  if (!existsSync(executablePath)) {
    throw new Error(
      `There is no Chromium at ${executablePath}. Install it with "apt-get update && apt-get install -y chromium", \
or set CHROMIUM_PATH to a Chromium or Chrome.`,
    );
  }
  return chromium.launch({
    executablePath,
    headless: true,
    // Chromium's sandbox does not work as root; only the test's own page is loaded.
    args: ['--no-sandbox', '--disable-quic', '--disable-background-networking'],
  });
}
