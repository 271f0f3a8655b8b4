const LINE_FEED = 0x0a;

/**
 * Counts the events that end within a chunk, each with a blank line. An end split between chunks counts with its second
 * part.
 *
 * @param open whether the previous chunk ended with a line feed that did not end an event; the result's `open` is that
 * of this chunk
 */
export function countEventEnds(chunk: Uint8Array, open: boolean): { events: number; open: boolean } {
  let events = 0;
  let last = open ? -1 : -2;
  for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, at + 1)) {
    if (last === at - 1) {
      events += 1;
      last = -2;
    } else last = at;
  }
  return { events, open: last === chunk.length - 1 };
}
