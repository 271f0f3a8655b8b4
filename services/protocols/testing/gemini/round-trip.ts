import type { CanonicalRequest } from '../../src/canonical/request.ts';
import { gemini } from '../../src/gemini/index.ts';
import type { CanonicalResult, ClientRequest, EncodeTarget } from '../../src/interface/protocol.ts';
import { runToEnd } from '../../src/lists/stages.ts';
import { Diagnostics } from '../../src/request/diagnostics.ts';

export const TARGET: EncodeTarget = {
  upstreamModel: 'gemini-3-pro',
  outputTokens: undefined,
  isStream: false,
  maxOutputTokens: 100_000,
};

/** A client's request of this body. */
export function clientRequest(body: unknown, stream: 'none' | 'sse' | 'json-array' = 'none'): ClientRequest {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const result = runToEnd(gemini.parseRequest(bytes, { model: 'm', stream }));
  if (!result.ok) throw new Error(result.error.message);
  return result.request;
}

/** What a client's request says; throws where it cannot be said. */
export function canonicalOf(body: unknown): Extract<CanonicalResult, { ok: true }> {
  const result = runToEnd(clientRequest(body).canonical());
  if (!result.ok) throw new Error(result.error.message);
  return result;
}

export function encoded(request: CanonicalRequest, target: Partial<EncodeTarget> = {}) {
  const diagnostics = new Diagnostics();
  const body = runToEnd(gemini.upstream.encodeRequest(request, { ...TARGET, ...target }, diagnostics));
  return {
    body,
    warnings: diagnostics.warnings.map((warning) => warning.message),
    refusals: diagnostics.errors.map((refusal) => refusal.message),
    places: diagnostics.places(),
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
