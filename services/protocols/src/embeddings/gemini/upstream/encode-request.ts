import type { JsonRecord } from '../../../json/record.ts';
import type { Diagnostics } from '../../../request/diagnostics.ts';
import type { EmbeddingInput, EmbeddingsRequest } from '../../shared/request.ts';
import { modelResource } from '../shared/model-name.ts';

/** Google rejects larger batches: "at most 100 requests can be in one batch". */
const MAX_BATCH = 100;

/** Encodes a request for Google. Several inputs are sent as a batch. */
export function encodeRequest(
  { inputs }: EmbeddingsRequest,
  upstreamModel: string,
  diagnostics: Diagnostics,
): JsonRecord {
  if (inputs.length > MAX_BATCH) {
    diagnostics.reject('input', `this model's provider accepts at most ${MAX_BATCH} inputs per call`);
  }
  const model = modelResource(upstreamModel);
  const requests = inputs.map((input) => encodeInput(input, model, diagnostics));
  const [single] = requests;
  return requests.length === 1 && single !== undefined ? single : { requests };
}

/** Which encoding the tokens are in is not known, so that decoding them could give another text. */
const NO_TOKENS =
  "this model's provider does not accept tokens; send the text (LangChain for Python: check_embedding_ctx_length=False)";

function encodeInput(input: EmbeddingInput, model: string, diagnostics: Diagnostics): JsonRecord {
  const { content, dimensions, taskType, title } = input;
  if (typeof content !== 'string') {
    diagnostics.reject(input.at, NO_TOKENS);
  }
  return {
    model,
    content: { parts: [{ text: content }] },
    ...(taskType === undefined ? {} : { taskType: taskType.value }),
    ...(title === undefined ? {} : { title: title.value }),
    ...(dimensions === undefined ? {} : { outputDimensionality: dimensions.value }),
  };
}
