import type { Message, Port } from './create-channel.js';

/** A process that was forked, or the end of its connection in itself: Node.js types both alike. */
export interface MessageEnd {
  readonly connected?: boolean | undefined;
  send?(message: readonly Message[], callback: (error: Error | null) => void): boolean;
  on(event: 'message', listener: (message: unknown) => void): unknown;
}

/** The port over the channel that Node.js opens between a process and one that it has forked. */
export function openProcessPort(end: MessageEnd): Port {
  return {
    send(messages) {
      if (end.connected !== true || end.send === undefined) return false;
      // An error means that the process has ended, which its other listeners notice.
      end.send(messages, () => undefined);
      return true;
    },
    onMessages(listener) {
      end.on('message', (message) => {
        if (Array.isArray(message)) listener(message as readonly Message[]);
      });
    },
  };
}
