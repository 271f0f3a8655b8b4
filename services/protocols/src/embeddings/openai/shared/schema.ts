import { z } from 'zod';

/** OpenAI's maximum number of inputs of one call. */
export const MAX_INPUTS = 2_048;

/**
 * A body of POST /v1/embeddings. `input` is parsed separately: it may have hundreds of thousands of tokens.
 * https://platform.openai.com/docs/api-reference/embeddings/create
 */
export const requestSchema = z.looseObject({
  model: z.string().min(1),
  input: z.unknown(),
  dimensions: z.int().min(1).nullish(),
  encoding_format: z.enum(['float', 'base64']).nullish(),
  user: z.string().nullish(),
});

export type OpenaiEmbeddings = z.output<typeof requestSchema>;
