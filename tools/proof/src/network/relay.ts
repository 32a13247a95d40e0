import { read, writeSync } from 'node:fs';
import { createRandom } from '../load/random.js';
import { type Direction, type Impairment, impairPacket, unimpaired } from './impair-packet.js';

/**
 * A separate program: passes IP packets between two TUN devices, whose file descriptors it inherits, as the impairment says
 * that its parent sent last. It exits when the parent has ended.
 */
const [seed, service, database] = process.argv.slice(2).map(Number);
if (seed === undefined || service === undefined || database === undefined)
  throw new Error('Usage: SEED FD_OF_SERVICE FD_OF_DATABASE');

/** No packet is larger: the devices have the usual MTU of 1,500. */
const packetBytes = 2_048;

const random = createRandom(seed);
let impairment = unimpaired;

process.on('message', (message) => {
  impairment = message as Impairment;
});
process.on('disconnect', () => process.exit());
pass(service, database, 'to database');
pass(database, service, 'from database');
process.send?.('ready');

function pass(from: number, to: number, direction: Direction): void {
  // Each read waits in a thread of its own until a packet comes.
  read(from, Buffer.alloc(packetBytes), 0, packetBytes, null, (error, length, packet) => {
    if (error === null) {
      const arrivals = impairPacket(impairment, direction, random);
      for (const delayMs of arrivals) deliver(to, packet.subarray(0, length), delayMs);
    }
    pass(from, to, direction);
  });
}

function deliver(to: number, packet: Buffer, delayMs: number): void {
  if (delayMs > 0) {
    setTimeout(deliver, delayMs, to, packet, 0);
    return;
  }
  try {
    writeSync(to, packet);
  } catch {
    // The device is not up yet, or no longer: the packet is lost, as on any link.
  }
}
