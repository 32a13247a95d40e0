// @ts-check
// The program of a thread that listens and accepts nothing. It is JavaScript, since the sources and the build load it by the
// same path.
import { createServer } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';

/** What a diagnostic report says of an open handle. @typedef {{ readonly type: string, readonly fd?: number }} Handle */

/** The descriptor of the only TCP socket of this thread; `undefined` where the system has none that processes inherit. */
function findDescriptor() {
  // So that the report looks up no names.
  Object.assign(process.report, { excludeNetwork: true });
  const { libuv } = /** @type {{ libuv: readonly Handle[] }} */ (process.report.getReport());
  return libuv.find(({ type }) => type === 'tcp')?.fd;
}

const server = createServer();
server.once('error', (/** @type {NodeJS.ErrnoException} */ { code, message }) =>
  parentPort?.postMessage({ error: { code, message } }),
);
server.listen(workerData, () => {
  parentPort?.postMessage({ descriptor: findDescriptor(), address: server.address() });
  // Until the thread is ended: its event loop, which would accept connections, does not go on.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
});
