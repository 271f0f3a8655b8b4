/**
 * Encodes one event.
 *
 * @param data may have several lines
 * @param type the `event` field, one line; left out when empty
 */
export function encodeSseEvent(data: string, type = ''): Buffer {
  const name = type === '' ? '' : `event: ${type}\n`;
  const lines = data.includes('\n') || data.includes('\r') ? data.split(/\r\n|\r|\n/).join('\ndata: ') : data;
  return Buffer.from(`${name}data: ${lines}\n\n`);
}

/** Encodes a comment of one line, which clients pass over. */
export function encodeSseComment(text: string): Buffer {
  return Buffer.from(`: ${text}\n\n`);
}
