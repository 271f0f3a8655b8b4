import type { StreamEvent } from '../../canonical/stream.ts';
import { laterUsage, type Usage } from '../../canonical/usage.ts';
import { NO_REPORT } from '../../canonical/usage-report.ts';
import type { DecodeContext, DecodedEvents, StreamDecoder } from '../../interface/protocol.ts';
import { recordOr, stringOr } from '../../json/record.ts';
import type { SseEvent } from '../../sse/event.ts';
import { ChunkReader, type ChunkResult, choiceIndex, ENDED_EARLY, NOT_A_CHUNK } from '../shared/chunk.ts';
import { generatedText } from '../shared/generated-text.ts';
import { ofResponse, readReport } from '../shared/usage.ts';
import { ChoiceDecoder } from './choice-decoder.ts';

type Chunk = Extract<ChunkResult, { kind: 'chunk' }>;

const NO_DATA = Buffer.alloc(0);
const NO_EVENTS: DecodedEvents = { kind: 'events', events: [] };

/** Reads an upstream's stream. Choices finish when the stream is over, since some upstreams send more after the reason. */
export class ChatStreamDecoder implements StreamDecoder {
  readonly #newId: () => string;
  readonly #chunks = new ChunkReader();
  readonly #choices = new Map<number, ChoiceDecoder>();
  #parts = 0;
  /** The last usage report, if no content has come after it. */
  #usage: Usage | undefined;
  #hasReport = false;
  /** The last chunk, if it had no report: one that differs from it only in its text has none either. */
  #unreported: Chunk | undefined;
  /** As reported last; most chunks repeat it. */
  #tier: string | undefined;
  #hasStarted = false;
  #hasEnded = false;

  constructor({ newId }: DecodeContext) {
    this.#newId = newId;
  }

  push(event: SseEvent): DecodedEvents {
    if (this.#hasEnded) return NO_EVENTS;
    const read = this.#chunks.read(event);
    switch (read.kind) {
      case 'chunk':
        return this.#take(read, event.data ?? NO_DATA);
      case 'done':
        return this.#choices.size === 0 ? { kind: 'malformed', problem: ENDED_EARLY } : this.#end();
      case 'silent':
        return NO_EVENTS;
      case 'error':
        return { kind: 'error', error: read.error };
      case 'malformed':
        return { kind: 'malformed', problem: NOT_A_CHUNK };
      default:
        return read satisfies never;
    }
  }

  /** Some upstreams leave out [DONE]; a response whose choices have all ended is complete without it. */
  eof(): DecodedEvents {
    if (this.#hasEnded) return NO_EVENTS;
    const choices = [...this.#choices.values()];
    const isComplete = choices.length > 0 && choices.every((choice) => choice.hasEnded);
    return isComplete ? this.#end() : { kind: 'malformed', problem: ENDED_EARLY };
  }

  #take(read: Chunk, data: Buffer): DecodedEvents {
    const { chunk, choices } = read;
    const events: StreamEvent[] = [];
    if (!this.#hasStarted) {
      this.#hasStarted = true;
      const { created } = chunk;
      const time = typeof created === 'number' && Number.isSafeInteger(created) ? created : undefined;
      events.push({ type: 'start', id: stringOr(chunk['id']), created: time });
    }
    for (let i = 0; i < choices.length; i++) {
      const choice = recordOr(choices[i]);
      const problem = this.#choice(choiceIndex(choice, i)).take(choice, events);
      if (problem !== undefined) return { kind: 'malformed', problem };
    }
    const state = { hasSeveral: this.#choices.size > 1, isFirst: !this.#hasReport };
    const { usage, unreadable, details } =
      read === this.#unreported ? NO_REPORT : ofResponse(readReport(chunk, data), state);
    this.#unreported = usage === undefined && unreadable === undefined ? read : undefined;
    if (usage !== undefined) {
      this.#hasReport = true;
      events.push({ type: 'usage', usage, ...(details !== undefined && { details }) });
      this.#usage = laterUsage(this.#usage, usage);
    } else {
      if (details?.serviceTier !== this.#tier && details !== undefined) {
        events.push({ type: 'usage', usage: undefined, details });
      }
      if (this.#usage !== undefined && hasText(choices)) this.#usage = undefined;
    }
    this.#tier = details?.serviceTier ?? this.#tier;
    return { kind: 'events', events, unreadable };
  }

  #choice(index: number): ChoiceDecoder {
    const known = this.#choices.get(index);
    if (known !== undefined) return known;
    const choice = new ChoiceDecoder(index, { nextPart: () => this.#parts++, newId: this.#newId });
    this.#choices.set(index, choice);
    return choice;
  }

  #end(): DecodedEvents {
    this.#hasEnded = true;
    const events: StreamEvent[] = [];
    for (const choice of this.#choices.values()) choice.finish(events);
    // Reported again, since it also covers what was kept back until here.
    if (this.#usage !== undefined) events.push({ type: 'usage', usage: this.#usage });
    return { kind: 'end', events };
  }
}

function hasText(choices: readonly unknown[]): boolean {
  return choices.some((choice) => generatedText(recordOr(recordOr(choice)['delta'])) !== '');
}
