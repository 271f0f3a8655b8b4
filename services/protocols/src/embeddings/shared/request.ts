import type { JsonRecord } from '../../json/record.ts';
import type { ModelFacts } from '../../request/bound.ts';
import { promptBytes } from '../../request/bound.ts';
import type { Diagnostic } from '../../request/diagnostics.ts';

/** What is to be embedded, in no vendor's words. */
export interface EmbeddingsRequest {
  /** At least one. */
  readonly inputs: readonly EmbeddingInput[];
  /** Fields that only the client's own protocol knows and that change no meaning: left out towards others. */
  readonly dropped: readonly Diagnostic[];
}

/** One input, which becomes one vector. */
export interface EmbeddingInput {
  /** A text, or the tokens of one in the model's own encoding. Neither is empty. */
  readonly content: string | readonly number[];
  /** Where the client put it, such as `input[2]`. */
  readonly at: string;
  /** How long the vector is to be; the model's own length when undefined. */
  readonly dimensions: PlacedValue<number> | undefined;
  /** What the vector is for, such as `RETRIEVAL_QUERY`. */
  readonly taskType: PlacedValue<string> | undefined;
  readonly title: PlacedValue<string> | undefined;
}

/** A value and where the client put it. */
export interface PlacedValue<T> {
  readonly value: T;
  readonly at: string;
}

/** The texts among the inputs, for counting their tokens. */
export function requestTexts({ inputs }: EmbeddingsRequest): string[] {
  return inputs.flatMap(({ content }) => (typeof content === 'string' ? [content] : []));
}

/** How many tokens the inputs are that came as tokens. */
export function inputTokens({ inputs }: EmbeddingsRequest): number {
  return inputs.reduce((sum, { content }) => (typeof content === 'string' ? sum : sum + content.length), 0);
}

/** The warning for a field that the provider does not know. */
export const DROPPED_FIELD = "not passed on to this model's provider";

export function droppedField(at: string): Diagnostic {
  return { path: at, message: `${at}: ${DROPPED_FIELD}` };
}

/**
 * The most tokens a call can cost: no token is less than a byte of the body, known field or not; the provider's template
 * may add some to each input and to the whole.
 */
export function boundRequest(body: JsonRecord, inputs: number, facts: ModelFacts): number {
  return promptBytes(body) + facts.tokensPerRequest + inputs * facts.tokensPerMessage;
}
