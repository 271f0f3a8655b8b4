import { z } from 'zod';

/** Maximum number of inputs of one call. Google's own limit is lower; providers of other protocols accept as many. */
export const MAX_REQUESTS = 2_048;

/** Parts are checked separately, so that errors name the kind of part. */
const content = z.looseObject({
  parts: z.array(z.record(z.string(), z.unknown())).min(1),
  role: z.string().nullish(),
});

/** Options are beside the content or, from newer clients, in `embedContentConfig`. */
const options = {
  taskType: z.string().nullish(),
  title: z.string().nullish(),
  outputDimensionality: z.int().min(1).nullish(),
};

/** Google accepts both names of each field. */
const snakeOptions = {
  task_type: z.string().nullish(),
  output_dimensionality: z.int().min(1).nullish(),
};

const config = z.looseObject({ ...options, ...snakeOptions });

/**
 * A body of `:embedContent`, which is also an element of `requests` in one of `:batchEmbedContents`.
 * https://ai.google.dev/api/embeddings
 */
export const embedContentSchema = z.looseObject({
  model: z.string().nullish(),
  content,
  ...options,
  ...snakeOptions,
  embedContentConfig: config.nullish(),
  embed_content_config: config.nullish(),
});

export type EmbedContent = z.output<typeof embedContentSchema>;

/** A body of `:batchEmbedContents`. */
export const batchEmbedContentsSchema = z.looseObject({
  model: z.string().nullish(),
  requests: z.array(embedContentSchema).min(1),
});
