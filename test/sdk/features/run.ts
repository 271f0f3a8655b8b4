import type { Expectation } from '../expectations.ts';
import type { SdkResponse } from '../scenario.ts';
import type { Cell } from '../support/cell.ts';

/** The result of a feature, for its own checks; only for `works` and `warned`. */
export interface Outcome {
  cell: Cell;
  response: SdkResponse;
  expected: Expectation;
}

/** How a feature is tested. */
export interface Run {
  /** Makes the call that shows the feature, after earlier turns if it needs any. */
  ask: (cell: Cell) => Promise<SdkResponse>;
  /** Checks what client and provider received. */
  check: (outcome: Outcome) => Promise<void> | void;
  /** The call fails or is abandoned: the checks of complete responses do not apply. */
  unfinished?: true;
}

/** Finish reasons in each client protocol. */
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
