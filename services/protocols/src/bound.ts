/** What the catalogue says of a model, in tokens. `maxOutputTokens` and `contextWindow` are at least 1. */
export interface ModelFacts {
  readonly tokensPerRequest: number;
  readonly tokensPerMessage: number;
  readonly maxTokensPerImage: number;
  readonly maxOutputTokens: number;
  readonly contextWindow: number;
}

export type InputModality = 'text' | 'image' | 'audio' | 'file';

/** The most a request can use. */
export interface RequestBound {
  /** Tokens of the prompt, images included. The prompt is billed once, whatever the number of choices is. */
  readonly inputTokens: number;
  readonly images: number;
  /** What the input is made of, without repeats. */
  readonly modalities: readonly InputModality[];
  readonly choices: number;
  /** The limit the client set for each choice, undefined when it set none. */
  readonly requestedOutputTokens: number | undefined;
  /** Tokens each choice can have: the smaller of the client's limit and the model's. */
  readonly outputTokensPerChoice: number;
  /** Tokens that are billed as output beside what is generated, such as a predicted text that did not come true. */
  readonly extraOutputTokens: number;
}
