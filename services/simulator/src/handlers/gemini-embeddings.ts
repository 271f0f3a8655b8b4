import { z } from 'zod';
import { respond } from '../delivery/respond.ts';
import { controlsOf, reportedTokens } from '../embeddings/controls.ts';
import { geminiError, renderFailure } from '../embeddings/gemini-errors.ts';
import { DIMENSIONS, MAX_DIMENSIONS, vectorOf } from '../embeddings/vector.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { fields, parseObject } from '../validation/fields.ts';
import { bracketPath, firstProblem } from '../validation/problem.ts';

const MAX_BATCH = 100;

const options = {
  taskType: z
    .enum([
      'TASK_TYPE_UNSPECIFIED',
      'RETRIEVAL_QUERY',
      'RETRIEVAL_DOCUMENT',
      'SEMANTIC_SIMILARITY',
      'CLASSIFICATION',
      'CLUSTERING',
      'QUESTION_ANSWERING',
      'FACT_VERIFICATION',
      'CODE_RETRIEVAL_QUERY',
    ])
    .optional(),
  title: z.string().optional(),
  outputDimensionality: z.int().min(1).max(MAX_DIMENSIONS).optional(),
};

const embedContent = {
  model: z.string().optional(),
  content: fields({ parts: z.array(fields({ text: z.string() })).min(1), role: z.string().optional() }),
  ...options,
  embedContentConfig: fields({ ...options, autoTruncate: z.boolean().optional() }).optional(),
};

/** https://ai.google.dev/api/embeddings */
const element = fields(embedContent);
const single = fields({ ...embedContent, simulate: z.unknown().optional() });
const batch = fields({
  model: z.string().optional(),
  requests: z.array(fields({ ...embedContent, model: z.string() })).min(1),
  simulate: z.unknown().optional(),
});

/** The request of either method. */
interface EmbedRequest {
  requests: readonly z.output<typeof element>[];
  simulate: unknown;
}

/** POST /v1beta/models/{model}:embedContent */
export function handleEmbedContent(exchange: Exchange): Promise<void> {
  return handle(exchange, single, 'embedding', (body) => ({ requests: [body], simulate: body.simulate }));
}

/** POST /v1beta/models/{model}:batchEmbedContents */
export function handleBatchEmbedContents(exchange: Exchange): Promise<void> {
  return handle(exchange, batch, 'embeddings', ({ requests, simulate }) => ({ requests, simulate }));
}

async function handle<Body>(
  exchange: Exchange,
  schema: z.ZodType<Body>,
  member: 'embedding' | 'embeddings',
  toEmbedRequest: (body: Body) => EmbedRequest,
): Promise<void> {
  const raw = parseObject(exchange.text());
  if (raw === undefined) return exchange.send(geminiError(400, 'Invalid JSON payload received.'));
  const parsed = schema.safeParse(raw);
  if (!parsed.success) {
    const { path, message } = firstProblem(parsed.error);
    return exchange.send(geminiError(400, `Invalid JSON payload received. ${bracketPath(path)}: ${message}`));
  }
  const { requests, simulate } = toEmbedRequest(parsed.data);
  const fault = faultOf(requests, exchange.path);
  if (fault !== undefined) return exchange.send(geminiError(400, fault));
  const texts = requests.map(({ content }) => content.parts.map((part) => part.text).join(''));
  const read = controlsOf(simulate, texts);
  if (!read.ok) return exchange.send(geminiError(400, read.message));
  const tokens = reportedTokens(texts, 0, read.controls);
  const vectors = requests.map(({ outputDimensionality, embedContentConfig }, index) => ({
    values: vectorOf(
      texts[index] ?? '',
      embedContentConfig?.outputDimensionality ?? outputDimensionality ?? DIMENSIONS,
    ),
  }));
  const usage = tokens === undefined ? {} : { usageMetadata: { promptTokenCount: tokens } };
  await respond(exchange, read.controls, {
    json: () => JSON.stringify({ [member]: member === 'embedding' ? vectors[0] : vectors, ...usage }),
    headers: {},
    tokens: 0,
    renderFailure,
  });
}

/** Reasons why Google would reject a body that fits the schema. */
function faultOf(requests: EmbedRequest['requests'], path: string): string | undefined {
  if (requests.length > MAX_BATCH) {
    return `* BatchEmbedContentsRequest.requests: at most ${MAX_BATCH} requests can be in one batch`;
  }
  const model = decodeURIComponent(path.slice('/v1beta/'.length, path.lastIndexOf(':')));
  const other = requests.findIndex((request) => request.model !== undefined && request.model !== model);
  if (other >= 0) return `* BatchEmbedContentsRequest.requests[${other}].model: must be the model of the call`;
  return undefined;
}
