import type { Expectation } from '../expectations.ts';
import type { SdkResponse } from '../scenario.ts';
import type { Cell } from '../support/cell.ts';

/** What a feature came to, for its own checks; `works` and `warned` only, a refused one has nothing more to check. */
export interface Outcome {
  cell: Cell;
  response: SdkResponse;
  expected: Expectation;
}

/** How a feature is tried. */
export interface Run {
  /** Asks what shows the feature, after whatever has to be said before. */
  ask: (cell: Cell) => Promise<SdkResponse>;
  /** Checks what came of it on both sides. */
  check: (outcome: Outcome) => Promise<void> | void;
  /** The call is meant to fail or to be left: the usual checks of a buffered response do not hold. */
  unfinished?: true;
}

/** Finish reasons in the words of each client protocol. */
export const FINISH = {
  stop: { 'openai-chat': 'stop', 'openai-responses': 'completed', 'anthropic-messages': 'end_turn', gemini: 'STOP' },
  length: {
    'openai-chat': 'length',
    'openai-responses': 'max_output_tokens',
    'anthropic-messages': 'max_tokens',
    gemini: 'MAX_TOKENS',
  },
  calls: {
    'openai-chat': 'tool_calls',
    'openai-responses': 'completed',
    'anthropic-messages': 'tool_use',
    gemini: 'STOP',
  },
  filter: {
    'openai-chat': 'content_filter',
    'openai-responses': 'content_filter',
    'anthropic-messages': 'refusal',
    gemini: 'SAFETY',
  },
} as const;
