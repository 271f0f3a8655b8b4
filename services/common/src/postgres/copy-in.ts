const COPY_DATA = 'd'.charCodeAt(0);
const LENGTH_BYTES = 4;
const COPY_DONE = Buffer.from([...Buffer.from('c'), 0, 0, 0, LENGTH_BYTES]);

/** Precedes the tuples of binary COPY: its signature, no flags, no header extension. */
export const BINARY_COPY_HEADER = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1');
/** Follows the tuples. */
export const BINARY_COPY_TRAILER = Buffer.from([0xff, 0xff]);

/**
 * Writes the rows that a `COPY ... FROM STDIN` reads, and their end. For many rows it costs the database and the client about
 * half as much as an INSERT. By hand because pg-copy-streams copies a stream chunk by chunk, and the rows are one buffer here.
 */
export function writeCopiedRows(stream: { write: (bytes: Uint8Array) => boolean }, rows: Uint8Array): void {
  const head = Buffer.allocUnsafe(1 + LENGTH_BYTES);
  head[0] = COPY_DATA;
  head.writeInt32BE(LENGTH_BYTES + rows.length, 1);
  stream.write(head);
  stream.write(rows);
  stream.write(COPY_DONE);
}
