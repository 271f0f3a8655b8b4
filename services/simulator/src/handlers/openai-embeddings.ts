import { z } from 'zod';
import { respond } from '../delivery/respond.ts';
import { controlsOf, reportedTokens } from '../embeddings/controls.ts';
import { DIMENSIONS, MAX_DIMENSIONS, vectorOf } from '../embeddings/vector.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { invalidRequest, problemResponse, renderFailure } from '../openai-chat/errors.ts';
import { fields, parseObject } from '../validation/fields.ts';
import { firstProblem } from '../validation/problem.ts';

const MAX_INPUTS = 2_048;
const text = z.string().min(1);
const tokens = z.array(z.int().min(0)).min(1);

/** https://platform.openai.com/docs/api-reference/embeddings/create */
const schema = fields({
  model: z.string().min(1),
  input: z.union([text, z.array(text).min(1).max(MAX_INPUTS), tokens, z.array(tokens).min(1).max(MAX_INPUTS)]),
  dimensions: z.int().min(1).max(MAX_DIMENSIONS).nullish(),
  encoding_format: z.enum(['float', 'base64']).nullish(),
  user: z.string().nullish(),
  simulate: z.unknown().optional(),
});

/** POST /v1/embeddings */
export async function handleEmbeddings(exchange: Exchange): Promise<void> {
  const raw = parseObject(exchange.text());
  if (raw === undefined)
    return exchange.send(invalidRequest('We could not parse the JSON body of your request.', null));
  const parsed = schema.safeParse(raw);
  if (!parsed.success) return exchange.send(problemResponse(firstProblem(parsed.error)));
  const { model, input, dimensions, encoding_format, simulate } = parsed.data;
  const inputs = inputsOf(input);
  const texts = inputs.filter((element) => typeof element === 'string');
  const read = controlsOf(simulate, texts);
  if (!read.ok) return exchange.send(invalidRequest(read.message, 'simulate', 'invalid_value'));
  const given = inputs.reduce((sum, element) => sum + (typeof element === 'string' ? 0 : element.length), 0);
  const count = reportedTokens(texts, given, read.controls);
  const vectors = inputs.map((element) =>
    vectorOf(typeof element === 'string' ? element : element.join(' '), dimensions ?? DIMENSIONS),
  );
  const data = vectors.map((vector, index) => ({
    object: 'embedding',
    index,
    embedding: encoding_format === 'base64' ? base64Of(vector) : vector,
  }));
  const usage = count === undefined ? {} : { usage: { prompt_tokens: count, total_tokens: count } };
  await respond(exchange, read.controls, {
    json: () => JSON.stringify({ object: 'list', data, model, ...usage }),
    headers: {},
    tokens: 0,
    renderFailure,
  });
}

type Input = string | number[];

function inputsOf(input: z.output<typeof schema>['input']): Input[] {
  if (typeof input === 'string') return [input];
  const isOneOfTokens = (value: typeof input): value is number[] => typeof value[0] === 'number';
  return isOneOfTokens(input) ? [input] : [...input];
}

function base64Of(vector: readonly number[]): string {
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [index, value] of vector.entries()) bytes.writeFloatLE(value, index * 4);
  return bytes.toString('base64');
}
