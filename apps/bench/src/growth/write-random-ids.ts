import type { Client } from 'autocannon';

/** What autocannon 8 has besides its documented interface: the bytes it sends again and again, and a word before. */
type SendingClient = Client & {
  getRequestBuffer(): Buffer;
  on(event: 'request', listener: () => void): unknown;
};

/** Plants as people name them; each connection sends one of these under ever new ids. */
const plants = [
  { name: 'Monstera deliciosa', tag: 'houseplant' },
  { name: 'Lavandula angustifolia', tag: 'herb' },
  { name: 'Acer palmatum', tag: 'tree' },
  { name: 'Solanum lycopersicum', tag: 'vegetable' },
];

/** Every id has 16 digits, so that it can be written over the last one: all of 53 bits but the lowest ninth. */
const smallestId = 10 ** 15;
let clients = 0;

/**
 * Makes a client of autocannon send a new random id with each request, by writing its digits into the one request
 * that it holds. Nothing is allocated but the digits, and the client parses no template.
 *
 * Measured against the baseline at 64 connections, processor time of the generator per request, medians of 3 rounds:
 * 28 µs so, 26 µs for one constant request, 34 µs for requests built beforehand (which also takes 3 s and 400 MB),
 * 48 µs for `setupRequest`, 54 µs for `setBody` at each reply.
 */
export function writeRandomIds(client: Client): void {
  const plant = plants[clients++ % plants.length];
  client.setBody(JSON.stringify({ id: randomId(), ...plant }));
  const sendingClient = client as SendingClient;
  const request = sendingClient.getRequestBuffer();
  const idStart = request.indexOf('{"id":') + '{"id":'.length;
  // Without pipelining the last request has been answered, hence sent, before the next one is due.
  sendingClient.on('request', () => request.write(String(randomId()), idStart, 'latin1'));
}

function randomId(): number {
  return smallestId + Math.floor(Math.random() * (Number.MAX_SAFE_INTEGER - smallestId));
}
