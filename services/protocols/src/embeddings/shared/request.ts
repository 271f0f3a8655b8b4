import type { JsonRecord } from '../../json/record.ts';
import type { ModelFacts } from '../../request/bound.ts';
import { promptBytes } from '../../request/bound.ts';
import type { Diagnostic } from '../../request/diagnostics.ts';

/** A vendor-neutral embeddings request. */
export interface EmbeddingsRequest {
  /** At least one. */
  readonly inputs: readonly EmbeddingInput[];
  /** Fields that only the client's protocol has and that can be dropped for others without changing the meaning. */
  readonly dropped: readonly Diagnostic[];
}

/** One input, which becomes one vector. */
export interface EmbeddingInput {
  /** A text, or the tokens of one in the model's own encoding. Neither is empty. */
  readonly content: string | readonly number[];
  /** Its path in the client's request, such as `input[2]`. */
  readonly at: string;
  /** The length of the vector; the model's own if undefined. */
  readonly dimensions: PlacedValue<number> | undefined;
  /** The purpose of the vector, such as `RETRIEVAL_QUERY`. */
  readonly taskType: PlacedValue<string> | undefined;
  readonly title: PlacedValue<string> | undefined;
}

/** A value and its path in the client's request. */
export interface PlacedValue<T> {
  readonly value: T;
  readonly at: string;
}

/** The texts among the inputs, for counting their tokens. */
export function requestTexts({ inputs }: EmbeddingsRequest): string[] {
  return inputs.flatMap(({ content }) => (typeof content === 'string' ? [content] : []));
}

/** The number of tokens of inputs that came as tokens. */
export function inputTokens({ inputs }: EmbeddingsRequest): number {
  return inputs.reduce((sum, { content }) => (typeof content === 'string' ? sum : sum + content.length), 0);
}

/** The warning for a field that the provider does not have. */
export const DROPPED_FIELD = "not passed on to this model's provider";

export function droppedField(at: string): Diagnostic {
  return { path: at, message: `${at}: ${DROPPED_FIELD}` };
}

/**
 * The upper bound of a call's tokens: every token is at least one byte of the body, in known or unknown fields; the
 * provider's template may add some to each input and to the call.
 */
export function boundRequest(body: JsonRecord, inputs: number, facts: ModelFacts): number {
  return promptBytes(body) + facts.tokensPerRequest + inputs * facts.tokensPerMessage;
}
