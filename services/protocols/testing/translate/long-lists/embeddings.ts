import { type LongLists, members, times } from './list.ts';

const CONTENT = { parts: [{ text: 'Hi' }] };

/** The lists of a request for embeddings in OpenAI's shape. */
export const OPENAI_EMBEDDINGS_LISTS: LongLists = {
  inputs: (n) => ({ model: 'model-here', input: times(Math.min(n, 2_048), () => 'Hi') }),
  'tokens of one input': (n) => ({ model: 'model-here', input: times(n, (i) => i) }),
  'tokens of several inputs': (n) => ({ model: 'model-here', input: times(1_000, () => times(n / 1_000, (i) => i)) }),
  'unknown fields': (n) => ({ model: 'model-here', input: 'Hi', ...members(n, () => 1) }),
};

/** The lists of a request of `:embedContent`. */
export const EMBED_CONTENT_LISTS: LongLists = {
  parts: (n) => ({ content: { parts: times(n, () => ({ text: 'x' })) } }),
  'unknown fields': (n) => ({ content: CONTENT, ...members(n, () => 1) }),
  'unknown settings': (n) => ({ content: CONTENT, embedContentConfig: members(n, () => 1) }),
};

/** The lists of a request of `:batchEmbedContents`. */
export const BATCH_EMBED_LISTS: LongLists = {
  requests: (n) => ({ requests: times(Math.min(n, 2_048), () => ({ model: 'models/model-here', content: CONTENT })) }),
  'parts of all requests': (n) => ({
    requests: times(1_000, () => ({ content: { parts: times(n / 1_000, () => ({ text: 'x' })) } })),
  }),
  'unknown fields of all requests': (n) => ({
    requests: times(1_000, () => ({ content: CONTENT, ...members(n / 1_000, () => 1) })),
  }),
};
