import { EncodeNotes } from '../../canonical/encode-notes.ts';
import type { CanonicalRequest } from '../../canonical/request.ts';
import type { CanonicalReading, ClientRequest, EncodeTarget } from '../../protocol.ts';
import { runToEnd } from '../../stages.ts';
import { gemini } from '../index.ts';

export const TARGET: EncodeTarget = {
  upstreamModel: 'gemini-3-pro',
  outputTokens: undefined,
  isStream: false,
  maxOutputTokens: 100_000,
};

/** A client's request of this body. */
export function clientRequest(body: unknown, stream: 'none' | 'sse' | 'json-array' = 'none'): ClientRequest {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const reading = runToEnd(gemini.readRequest(bytes, { model: 'm', stream }));
  if (!reading.ok) throw new Error(reading.error.message);
  return reading.request;
}

/** What a client's request says; throws where it cannot be said. */
export function canonicalOf(body: unknown): Extract<CanonicalReading, { ok: true }> {
  const reading = runToEnd(clientRequest(body).canonical());
  if (!reading.ok) throw new Error(reading.error.message);
  return reading;
}

export function encoded(request: CanonicalRequest, target: Partial<EncodeTarget> = {}) {
  const notes = new EncodeNotes();
  const body = runToEnd(gemini.upstream.encodeRequest(request, { ...TARGET, ...target }, notes));
  return {
    body,
    warnings: notes.warnings.map((warning) => warning.message),
    refusals: notes.refusals.map((refusal) => refusal.message),
    places: notes.places(),
  };
}

/** The same without the places of its pieces. */
export function unplaced(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unplaced);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) => (key === 'at' ? [] : [[key, unplaced(inner)]])),
  );
}
