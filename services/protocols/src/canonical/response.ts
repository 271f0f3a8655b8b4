import type { OutputPart } from './part.ts';
import type { Usage } from './usage.ts';
import type { UsageDetails } from './usage-report.ts';

export type FinishReason =
  /** The model was finished, or generated a stop sequence (then `stopSequence` may name it). */
  | 'stop'
  /** The output limit. */
  | 'length'
  /** The context window was full. */
  | 'context'
  | 'tool-calls'
  /** The provider's filter stopped it. */
  | 'content-filter'
  /** The model itself declined. */
  | 'refusal'
  /** The provider paused a long turn, which goes on when it is sent back. */
  | 'pause'
  /** The model meant to call a tool and failed to. */
  | 'malformed-call'
  | 'other';

export interface Finish {
  readonly reason: FinishReason;
  /** The upstream's word. */
  readonly raw: string;
  readonly stopSequence?: string;
}

export interface TokenLogprob {
  readonly token: string;
  readonly logprob: number;
  /** UTF-8 of the token, where it is known. */
  readonly bytes?: readonly number[];
  readonly top: readonly { readonly token: string; readonly logprob: number; readonly bytes?: readonly number[] }[];
}

/** One response to the prompt. */
export interface Choice {
  readonly parts: readonly OutputPart[];
  readonly finish: Finish;
  readonly logprobs?: readonly TokenLogprob[];
}

/** A buffered response in no vendor's words. */
export interface CanonicalResponse {
  /** As the upstream named it; empty when it did not. */
  readonly id: string;
  /** Unix seconds; undefined if the upstream did not report it. */
  readonly created: number | undefined;
  /** At least one. */
  readonly choices: readonly Choice[];
  /** Undefined when the upstream gave none that can be read: unknown, not zero. */
  readonly usage: Usage | undefined;
  /** What else the upstream reported of the call. */
  readonly usageDetails?: UsageDetails;
}
