import type { PlaygroundEvent } from '@tollgate/proto/api-types';
import { parseJson } from '@tollgate/protocols/json/record';
import { SseParser } from '@tollgate/protocols/sse/parse';
import { z } from 'zod';
import { ChatChunks, errorEvent } from './chat-chunks.ts';

/** Raw bytes of a response, and of one of its events. */
const MAX_RESPONSE_BYTES = 20_000_000;
const MAX_EVENT_BYTES = 5_000_000;

const errorSchema = z.object({
  error: z.object({ message: z.string(), type: z.string() }),
  trace_id: z.string().optional(),
});

/** An event for the client, or a sign that the response is still open. */
export type Relayed = PlaygroundEvent | 'still open';

/**
 * The events of the gateway's response to a streamed chat request.
 *
 * @param sentAt when the request was sent, by performance.now()
 */
export async function* relayChat(response: Response, sentAt: number): AsyncGenerator<Relayed> {
  const requestId = response.headers.get('x-request-id');
  const traceId = response.headers.get('x-trace-id');
  if (requestId !== null && traceId !== null) yield { type: 'started', request_id: requestId, trace_id: traceId };
  if (!response.ok || response.body === null) {
    yield await refusal(response, traceId ?? undefined);
    return;
  }
  yield* relayStream(response.body, sentAt, traceId ?? undefined);
}

async function* relayStream(
  body: ReadableStream<Uint8Array>,
  sentAt: number,
  traceId: string | undefined,
): AsyncGenerator<Relayed> {
  const chunks = new ChatChunks();
  let firstTokenMs: number | null = null;
  const elapsed = () => Math.round(performance.now() - sentAt);
  for await (const data of readEvents(body)) {
    if (data === undefined) {
      yield 'still open';
      continue;
    }
    if (data === '[DONE]') {
      yield chunks.done({ firstTokenMs, durationMs: elapsed() });
      return;
    }
    for (const event of chunks.read(data)) {
      firstTokenMs ??= elapsed();
      yield event;
      if (event.type === 'error') return;
    }
  }
  yield errorEvent({ message: 'The response ended before it was complete.', type: 'internal_error' }, traceId);
}

/** The data of the events of a stream; undefined for those without. */
async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<string | undefined> {
  const parser = new SseParser({ maxEventBytes: MAX_EVENT_BYTES });
  let bytes = 0;
  for await (const piece of body) {
    bytes += piece.length;
    if (bytes > MAX_RESPONSE_BYTES) throw new Error(`the response has more than ${MAX_RESPONSE_BYTES} bytes`);
    const parsed = parser.push(Buffer.from(piece));
    for (const { data } of parsed.events) yield data?.toString('utf8');
    if (!parsed.ok) throw new Error(`an event of the response has more than ${MAX_EVENT_BYTES} bytes`);
  }
  const last = parser.end();
  if (last !== undefined) yield last.data?.toString('utf8');
}

/** The error of a request that the gateway has refused, in its words. */
async function refusal(response: Response, traceId: string | undefined): Promise<PlaygroundEvent> {
  const text = await readText(response);
  const parsed = errorSchema.safeParse(parseJson(text));
  if (parsed.success) return errorEvent(parsed.data.error, parsed.data.trace_id ?? traceId);
  return errorEvent(
    { message: `The gateway responded with status ${response.status}.`, type: 'internal_error' },
    traceId,
  );
}

/** An error's body, as far as it is of a reasonable size. */
async function readText(response: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of response.body ?? []) {
    bytes += piece.length;
    if (bytes > MAX_EVENT_BYTES) return '';
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}
