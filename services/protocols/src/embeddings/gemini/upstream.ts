import type { Diagnostics } from '../../canonical/diagnostics.ts';
import { isRecord, type JsonRecord, parseJson, recordOr } from '../../json/record.ts';
import { describeError } from '../../upstream-error.ts';
import type { DecodedEmbeddings, EmbeddingsUpstream } from '../protocol.ts';
import type { EmbeddingInput } from '../request.ts';
import { readVector, type Vector } from '../vector.ts';
import { methodPath, modelResource } from './shared/model-name.ts';
import { readUsage, unreadableUsage } from './usage.ts';

/** Google's answer to more is: at most 100 requests can be in one batch. */
const MAX_BATCH = 100;

/** Embeddings at providers that speak as Gemini does. Several inputs go as a batch. */
export const geminiUpstream: EmbeddingsUpstream = {
  path: (upstreamModel, { inputs }) =>
    methodPath(upstreamModel, inputs.length === 1 ? 'embedContent' : 'batchEmbedContents'),
  encodeRequest: ({ inputs }, upstreamModel, diagnostics) => {
    if (inputs.length > MAX_BATCH) {
      diagnostics.reject('input', `this model's provider takes at most ${MAX_BATCH} in one call`);
    }
    const model = modelResource(upstreamModel);
    const requests = inputs.map((input) => encodeInput(input, model, diagnostics));
    const [single] = requests;
    return requests.length === 1 && single !== undefined ? single : { requests };
  },
  decodeResponse: decodeResponse,
};

function encodeInput(input: EmbeddingInput, model: string, diagnostics: Diagnostics): JsonRecord {
  const { content, dimensions, taskType, title } = input;
  if (typeof content !== 'string') {
    diagnostics.reject(input.at, "tokens mean nothing to this model's provider; send the text");
  }
  return {
    model,
    content: { parts: [{ text: content }] },
    ...(taskType === undefined ? {} : { taskType: taskType.value }),
    ...(title === undefined ? {} : { title: title.value }),
    ...(dimensions === undefined ? {} : { outputDimensionality: dimensions.value }),
  };
}

function decodeResponse(body: Buffer): DecodedEmbeddings {
  const value = recordOr(parseJson(body.toString('utf8')));
  if (isRecord(value['error'])) return { kind: 'error', error: describeError(value) };
  const { embedding, embeddings } = value;
  const elements: unknown[] = Array.isArray(embeddings) ? embeddings : isRecord(embedding) ? [embedding] : [];
  if (elements.length === 0) return { kind: 'malformed', problem: 'the answer has no embeddings' };
  const vectors: Vector[] = [];
  for (const element of elements) {
    const vector = readVector(recordOr(element)['values']);
    if (vector === undefined) return { kind: 'malformed', problem: 'an embedding of the answer has no values' };
    vectors.push(vector);
  }
  const report = value['usageMetadata'];
  return {
    kind: 'response',
    vectors,
    usage: readUsage(report),
    unreadable: unreadableUsage(report),
  };
}
