import { expect, it } from 'vitest';
import { type PlaygroundEvent, readEvents } from './events.ts';

function streamOf(pieces: readonly Uint8Array[], onCancel: () => void = () => undefined): ReadableStream<Uint8Array> {
  const rest = [...pieces];
  return new ReadableStream({
    pull(controller) {
      const piece = rest.shift();
      if (piece === undefined) controller.close();
      else controller.enqueue(piece);
    },
    cancel: onCancel,
  });
}

async function collect(stream: ReadableStream<Uint8Array>): Promise<PlaygroundEvent[]> {
  const events: PlaygroundEvent[] = [];
  for await (const event of readEvents(stream)) events.push(event);
  return events;
}

it('reads events however the stream is cut', async () => {
  const text = ': ping\n\ndata: {"type":"delta","text":"Grüße 👋"}\r\n\ndata: {"type":"delta","text":"!"}';
  const bytes = new TextEncoder().encode(text);
  for (const size of [1, 2, 3, 7, bytes.length]) {
    const pieces = [];
    for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.slice(at, at + size));
    expect(await collect(streamOf(pieces))).toEqual([
      { type: 'delta', text: 'Grüße 👋' },
      { type: 'delta', text: '!' },
    ]);
  }
});

it('ends the call when nobody reads on', async () => {
  let cancelled = false;
  const piece = new TextEncoder().encode('data: {"type":"delta","text":"a"}\n');
  const stream = streamOf(Array<Uint8Array>(50).fill(piece), () => {
    cancelled = true;
  });
  for await (const event of readEvents(stream)) if (event.type === 'delta') break;
  await expect.poll(() => cancelled).toBe(true);
});
