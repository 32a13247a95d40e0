/** Bytes in the order in which they are to be written. */
export interface ByteQueue {
  /** The first of the buffers that were pushed, or what is left of it; `undefined` if the queue is empty. */
  first(): Buffer | undefined;
  /** How many bytes are queued. */
  length(): number;
  push(buffer: Buffer): void;
  /** Removes bytes of the first buffer, once they are written. */
  remove(bytes: number): void;
  clear(): void;
}

/** Creates an empty queue. */
export function createByteQueue(): ByteQueue {
  let buffers: Buffer[] = [];
  let length = 0;
  return {
    first: () => buffers[0],
    length: () => length,
    push(buffer) {
      buffers.push(buffer);
      length += buffer.length;
    },
    remove(bytes) {
      const [first] = buffers;
      if (first === undefined) return;
      length -= bytes;
      if (bytes < first.length) buffers[0] = first.subarray(bytes);
      else buffers.shift();
    },
    clear() {
      buffers = [];
      length = 0;
    },
  };
}
