const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/**
 * Counts the events that end within a chunk, each with a blank line, whether lines end with a line feed or with a carriage
 * return before it. An end split between chunks counts with its second part.
 *
 * @param open whether the previous chunk ended with a line end that did not end an event; the result's `open` is that
 * of this chunk
 */
export function countEventEnds(chunk: Uint8Array, open: boolean): { events: number; open: boolean } {
  let events = 0;
  let last = open ? -1 : NONE;
  const isBlankUntil = (at: number) => at - last === 1 || (at - last === 2 && chunk[at - 1] === CARRIAGE_RETURN);
  for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, at + 1)) {
    if (isBlankUntil(at)) {
      events += 1;
      last = NONE;
    } else last = at;
  }
  return { events, open: isBlankUntil(chunk.length) };
}

/** So far before the chunk that no line begins there. */
const NONE = -3;
