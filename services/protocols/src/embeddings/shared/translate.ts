import type { FinalUsage, ResponseTransformer } from '../../interface/protocol.ts';
import type { Diagnostic } from '../../request/diagnostics.ts';
import { Diagnostics } from '../../request/diagnostics.ts';
import type { EmbeddingsUpstream, UpstreamEmbeddings } from './protocol.ts';
import type { EmbeddingsRequest } from './request.ts';
import type { Vector } from './vector.ts';

/** Encodes a client's call for an upstream of the other protocol. */
export function translateRequest(
  request: EmbeddingsRequest,
  upstream: EmbeddingsUpstream,
  upstreamModel: string,
): UpstreamEmbeddings {
  const diagnostics = new Diagnostics();
  const body = upstream.encodeRequest(request, upstreamModel, diagnostics);
  const [error] = diagnostics.errors;
  if (error !== undefined) return { ok: false, error };
  const warnings = firstOfEach([...request.dropped, ...diagnostics.warnings]);
  return { ok: true, path: upstream.path(upstreamModel, request), body: Buffer.from(JSON.stringify(body)), warnings };
}

/** Passes on a response to a client of the other protocol. It must have a vector for each input. */
export function translatingTransformer(
  request: EmbeddingsRequest,
  upstream: EmbeddingsUpstream,
  encode: (vectors: readonly Vector[], final: FinalUsage) => Buffer,
): ResponseTransformer {
  return {
    transform: (body) => {
      const decoded = upstream.decodeResponse(body);
      if (decoded.kind !== 'response') return decoded;
      const { vectors, usage, unreadable } = decoded;
      if (vectors.length !== request.inputs.length) {
        const problem = `the response has ${vectors.length} vectors for ${request.inputs.length} inputs`;
        return { kind: 'malformed', problem };
      }
      return {
        kind: 'response',
        usage,
        unreadable,
        finishReason: '',
        text: '',
        render: (final) => encode(vectors, final),
      };
    },
  };
}

/** One warning for each field, however many inputs of a batch have it. */
function firstOfEach(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const seen = new Set<string>();
  return diagnostics.filter(({ path }) => {
    const field = path.replace(/\[\d+\]/g, '[]');
    if (seen.has(field)) return false;
    seen.add(field);
    return true;
  });
}
