import { EncodeNotes } from '../canonical/encode-notes.ts';
import type { FieldNote } from '../field-note.ts';
import type { AnswerPassage, FinalUsage } from '../protocol.ts';
import type { EmbeddingsUpstream, UpstreamEmbeddings } from './protocol.ts';
import type { EmbeddingsRequest } from './request.ts';
import type { Vector } from './vector.ts';

/** Writes a client's call for an upstream of the other protocol. */
export function translateRequest(
  request: EmbeddingsRequest,
  upstream: EmbeddingsUpstream,
  upstreamModel: string,
): UpstreamEmbeddings {
  const notes = new EncodeNotes();
  const body = upstream.encodeRequest(request, upstreamModel, notes);
  const [error] = notes.refusals;
  if (error !== undefined) return { ok: false, error };
  const warnings = firstOfEach([...request.unsaid, ...notes.warnings]);
  return { ok: true, path: upstream.path(upstreamModel, request), body: Buffer.from(JSON.stringify(body)), warnings };
}

/** Takes an answer to a client of the other protocol. It must have a vector for each input. */
export function translatedPassage(
  request: EmbeddingsRequest,
  upstream: EmbeddingsUpstream,
  encode: (vectors: readonly Vector[], final: FinalUsage) => Buffer,
): AnswerPassage {
  return {
    read: (body) => {
      const answer = upstream.decodeAnswer(body);
      if (answer.kind !== 'answer') return answer;
      const { vectors, usage, unreadable } = answer;
      if (vectors.length !== request.inputs.length) {
        const problem = `the answer has ${vectors.length} vectors for ${request.inputs.length} inputs`;
        return { kind: 'malformed', problem };
      }
      return {
        kind: 'answer',
        usage,
        unreadable,
        finishReason: '',
        text: '',
        render: (final) => encode(vectors, final),
      };
    },
  };
}

/** One note for each field, however many inputs of a batch have it. */
function firstOfEach(notes: readonly FieldNote[]): FieldNote[] {
  const seen = new Set<string>();
  return notes.filter(({ path }) => {
    const field = path.replace(/\[\d+\]/g, '[]');
    if (seen.has(field)) return false;
    seen.add(field);
    return true;
  });
}
