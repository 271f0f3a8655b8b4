import { collectResponse } from '../../canonical/response-collector.ts';
import type { DecodeContext, DecodeResult } from '../../interface/protocol.ts';
import { GeminiStreamDecoder, parseChunk } from './decode-stream.ts';

/** Reads a buffered response, which has the shape of a stream's only chunk. */
export function decodeResponse(body: Buffer, context: DecodeContext): DecodeResult {
  const value = parseChunk(body);
  if (value === undefined) return { kind: 'malformed', problem: 'the response is not a JSON object' };
  const decoder = new GeminiStreamDecoder(context);
  const read = decoder.read(value);
  if (read.kind === 'error') return read;
  const { candidates, promptFeedback } = value;
  const isEmpty = !Array.isArray(candidates) || candidates.length === 0;
  if (read.kind === 'malformed' || (isEmpty && promptFeedback === undefined)) {
    return { kind: 'malformed', problem: 'the response has no candidates' };
  }
  const end = decoder.end();
  if (end.kind !== 'end') return { kind: 'malformed', problem: 'the stream ended before the response was complete' };
  return { kind: 'response', response: collectResponse([...read.events, ...end.events]), unreadable: read.unreadable };
}
