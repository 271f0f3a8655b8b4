import type { JsonRecord } from '../../../json/record.ts';
import type { Diagnostics } from '../../../request/diagnostics.ts';
import { DROPPED_FIELD, type EmbeddingsRequest } from '../../shared/request.ts';

/** Encodes a request for OpenAI. All inputs of a call share one vector length. */
export function encodeRequest(
  { inputs }: EmbeddingsRequest,
  upstreamModel: string,
  diagnostics: Diagnostics,
): JsonRecord {
  const dimensions = inputs[0]?.dimensions;
  for (const input of inputs) {
    // OpenAI has one length per call, and a vector of another length is a different one.
    if (input.dimensions?.value !== dimensions?.value) {
      diagnostics.reject(
        input.dimensions?.at ?? input.at,
        "all vectors of one call must have the same length for this model's provider",
      );
    }
    for (const left of [input.taskType, input.title]) {
      if (left !== undefined) diagnostics.warn(left.at, DROPPED_FIELD);
    }
  }
  return {
    model: upstreamModel,
    input: inputs.map(({ content }) => content),
    ...(dimensions === undefined ? {} : { dimensions: dimensions.value }),
    encoding_format: 'float',
  };
}
