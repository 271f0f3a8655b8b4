import type { PlaygroundEvent } from '@tollgate/proto/api-types';

export type { PlaygroundEvent };

/** The longest line of the stream: an event of it is a piece of a response. */
const LONGEST_LINE = 8 * 1024 * 1024;

/** The events of a response, as they arrive. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<PlaygroundEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      const text = done ? `${decoder.decode()}\n` : decoder.decode(value, { stream: true });
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      if (rest.length > LONGEST_LINE) throw new Error('The console sent a line that is too long.');
      for (const line of lines) {
        const event = readLine(line);
        if (event !== undefined) yield event;
      }
      if (done) return;
    }
  } finally {
    // Also ends the call if the reader stops before the end.
    await reader.cancel().catch(() => undefined);
  }
}

/** The event of a line; undefined for empty lines and comments, which keep the connection open. */
function readLine(line: string): PlaygroundEvent | undefined {
  const text = line.endsWith('\r') ? line.slice(0, -1) : line;
  if (!text.startsWith('data:')) return undefined;
  return JSON.parse(text.slice('data:'.length)) as PlaygroundEvent;
}
