/** Context window of the simulated models in tokens, unless it is set. */
export const CONTEXT_WINDOW = 1_048_576;

/** A prompt that is longer than the context window, in tokens. */
export interface Overflow {
  prompt: number;
  window: number;
}

/** The figures of a refusal that a control asks for, whatever the prompt. */
export const FORCED_OVERFLOW: Overflow = { prompt: 250_000, window: 200_000 };

/** How far a prompt exceeds the window; undefined if it fits. */
export function overflowOf(prompt: number, window: number): Overflow | undefined {
  return prompt > window ? { prompt, window } : undefined;
}
