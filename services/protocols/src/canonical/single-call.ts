import type { OutputPart } from './part.ts';
import type { CanonicalResponse, Choice } from './response.ts';
import type { StreamEvent } from './stream.ts';

/*
 * A client can ask for at most one tool call in a response. Where its provider has no such setting, or does not keep to
 * it, the client gets the first call of each choice. The others are held back with their signatures; the finish reason
 * and the usage stay as reported.
 */

/** Keeps the first call of each choice. Returns the same response if nothing changes. */
export function withSingleCall(response: CanonicalResponse): CanonicalResponse {
  const choices = response.choices.map(withFirstCall);
  return choices.every((choice, i) => choice === response.choices[i]) ? response : { ...response, choices };
}

function withFirstCall(choice: Choice): Choice {
  const first = choice.parts.findIndex(isCall);
  const parts = choice.parts.filter((part, i) => i === first || !isCall(part));
  return parts.length === choice.parts.length ? choice : { ...choice, parts };
}

function isCall({ type }: OutputPart): boolean {
  return type === 'tool-call';
}

/** withSingleCall for a stream. */
export class SingleCallFilter {
  /** Choices that have had a call. */
  readonly #called = new Set<number>();
  /** Open calls that are held back, with their choices. */
  readonly #held = new Map<number, number>();

  /** Returns the same array if nothing changes. */
  push(events: readonly StreamEvent[]): readonly StreamEvent[] {
    const kept = events.filter((event) => !this.#isHeldBack(event));
    return kept.length === events.length ? events : kept;
  }

  #isHeldBack(event: StreamEvent): boolean {
    switch (event.type) {
      case 'part-start':
        if (event.head.type !== 'tool-call') return false;
        if (this.#called.has(event.choice)) this.#held.set(event.part, event.choice);
        else this.#called.add(event.choice);
        return this.#held.has(event.part);
      case 'part-delta':
      case 'part-citation':
        return this.#held.has(event.part);
      case 'part-end':
        return this.#held.delete(event.part);
      case 'logprobs':
        // They belong to the open part of their choice. Few calls are open at once: one of each choice.
        return this.#held.size > 0 && [...this.#held.values()].includes(event.choice);
      case 'start':
      case 'media':
      case 'finish':
      case 'usage':
        return false;
      default:
        return event satisfies never;
    }
  }
}
