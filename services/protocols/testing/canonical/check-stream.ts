import type { StreamEvent } from '../../src/canonical/stream.ts';

/**
 * Throws if a stream breaks the rules in stream.ts.
 *
 * @param isWhole whether the response is over, so that all parts must be closed and all choices finished
 */
export function checkStream(events: readonly StreamEvent[], isComplete = true): void {
  const check = new StreamCheck();
  for (const [i, event] of events.entries()) {
    const problem = check.problemOf(event, i === 0);
    if (problem !== undefined) throw new Error(`event ${i}: ${problem}: ${JSON.stringify(event)}`);
  }
  const problem = isComplete ? check.problemOfEnd() : undefined;
  if (problem !== undefined) throw new Error(problem);
}

class StreamCheck {
  readonly #used = new Set<number>();
  /** The open part of each choice. */
  readonly #open = new Map<number, number>();
  readonly #types = new Map<number, string>();
  readonly #seen = new Set<number>();
  readonly #finished = new Set<number>();

  problemOf(event: StreamEvent, isFirst: boolean): string | undefined {
    if (isFirst !== (event.type === 'start')) return 'start must come first and once';
    switch (event.type) {
      case 'start':
      case 'usage':
        return undefined;
      case 'part-start':
        if (event.opaque !== undefined && event.head.type !== 'tool-call') return 'signed before it has a content';
        return this.#opened(event.part, event.choice, event.head.type);
      case 'media':
        return this.#opened(event.part, event.choice, 'media') ?? this.#closed(event.part);
      case 'part-delta':
        if (!event.text.isWellFormed()) return 'a character is cut';
        return this.#types.has(event.part) ? undefined : 'the part is not open';
      case 'part-citation':
        return this.#types.get(event.part) === 'text' ? undefined : 'no open text part';
      case 'part-end':
        if (event.opaque !== undefined && this.#types.get(event.part) === 'refusal') return 'a refusal has a signature';
        return this.#closed(event.part);
      case 'logprobs':
        return this.#inChoice(event.choice);
      case 'finish':
        if (this.#open.has(event.choice)) return 'a part of the choice is still open';
        return this.#inChoice(event.choice) ?? this.#finish(event.choice);
      default:
        return event satisfies never;
    }
  }

  problemOfEnd(): string | undefined {
    if (this.#open.size > 0) return 'a part is never closed';
    for (const choice of this.#seen) if (!this.#finished.has(choice)) return `choice ${choice} has no finish`;
    return this.#seen.size === 0 ? 'there is no choice' : undefined;
  }

  #opened(part: number, choice: number, type: string): string | undefined {
    if (this.#used.has(part)) return 'the part number was used before';
    if (this.#open.has(choice)) return 'another part of the choice is open';
    this.#used.add(part);
    this.#open.set(choice, part);
    this.#types.set(part, type);
    return this.#inChoice(choice);
  }

  #closed(part: number): string | undefined {
    if (!this.#types.delete(part)) return 'the part is not open';
    for (const [choice, open] of this.#open) if (open === part) this.#open.delete(choice);
    return undefined;
  }

  #inChoice(choice: number): string | undefined {
    this.#seen.add(choice);
    return this.#finished.has(choice) ? 'the choice has finished' : undefined;
  }

  #finish(choice: number): undefined {
    this.#finished.add(choice);
    return undefined;
  }
}
