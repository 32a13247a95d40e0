/**
 * Reads the replies that come on a connection, whatever the pieces are, and calls back with the status of each once it is complete.
 * A reply without `Content-Length`, such as 204, has no body.
 */
export function createReplyReader(onReply: (status: number) => void): (piece: Buffer) => void {
  let head: Buffer = Buffer.alloc(0);
  let status = 0;
  let bodyBytes = 0;
  return (piece) => {
    let rest = piece;
    while (rest.length > 0) {
      if (bodyBytes > 0) {
        const read = Math.min(bodyBytes, rest.length);
        bodyBytes -= read;
        rest = rest.subarray(read);
      } else {
        // Only a head that did not come whole is copied.
        rest = head.length === 0 ? rest : Buffer.concat([head, rest]);
        const end = rest.indexOf('\r\n\r\n');
        head = end === -1 ? rest : Buffer.alloc(0);
        if (end === -1) return;
        const text = rest.toString('latin1', 0, end);
        status = Number(text.slice(9, 12));
        bodyBytes = Number(/\r\ncontent-length: *(\d+)/i.exec(text)?.[1] ?? 0);
        rest = rest.subarray(end + 4);
      }
      if (bodyBytes === 0) onReply(status);
    }
  };
}
