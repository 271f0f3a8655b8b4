import { isUtf8 } from 'node:buffer';
import type { StreamEvent } from '../../canonical/stream.ts';
import { describeError } from '../../interface/errors.ts';
import type { DecodeContext, DecodedEvents, StreamDecoder } from '../../interface/protocol.ts';
import { parseLosslessObject } from '../../json/lossless.ts';
import { isRecord, type JsonRecord, parseJson, recordOr, stringOr } from '../../json/record.ts';
import type { SseEvent } from '../../sse/event.ts';
import { candidateIndex, isDone, isFinish, isResponseChunk } from '../shared/chunk.ts';
import { readDetails, readUsage, unreadableUsage } from '../shared/usage.ts';
import { CandidateDecoder, type PartNumbers } from './candidate-decoder.ts';

const NOTHING: DecodedEvents = { kind: 'events', events: [] };

/**
 * Decodes a stream. Google has no end event: a response is complete when the body ends and every candidate has its
 * finish reason, or the prompt was blocked.
 */
export class GeminiStreamDecoder implements StreamDecoder {
  readonly #context: DecodeContext;
  readonly #candidates = new Map<number, CandidateDecoder>();
  readonly #numbers: PartNumbers = { next: 0 };
  #started = false;
  #blockReason = '';

  constructor(context: DecodeContext) {
    this.#context = context;
  }

  push(event: SseEvent): DecodedEvents {
    const { data } = event;
    if (data === undefined || data.length === 0 || isDone(data)) return NOTHING;
    const value = parseChunk(data);
    if (value === undefined) return { kind: 'malformed', problem: 'a stream event is not a JSON object' };
    return this.read(value);
  }

  /** Reads one chunk. */
  read(chunk: JsonRecord): DecodedEvents {
    if (isRecord(chunk['error'])) return { kind: 'error', error: describeError(chunk) };
    if (!isResponseChunk(chunk)) return { kind: 'malformed', problem: 'a stream event is not part of a response' };
    const events: StreamEvent[] = [];
    this.#start(chunk, events);
    this.#blockReason ||= stringOr(recordOr(chunk['promptFeedback'])['blockReason']);
    const { candidates, usageMetadata } = chunk;
    if (Array.isArray(candidates)) {
      for (const item of candidates) {
        const problem = this.#candidate(recordOr(item), events);
        if (problem !== undefined) return { kind: 'malformed', problem };
      }
    }
    const usage = usageMetadata === undefined ? undefined : readUsage(usageMetadata);
    const details = readDetails(usageMetadata);
    if (usage !== undefined) events.push({ type: 'usage', usage, ...(details !== undefined && { details }) });
    return { kind: 'events', events, unreadable: unreadableUsage(usageMetadata) };
  }

  eof(): DecodedEvents {
    const candidates = [...this.#candidates.values()];
    const isComplete = candidates.length === 0 ? this.#blockReason !== '' : candidates.every((one) => one.isFinished);
    return isComplete
      ? this.end()
      : { kind: 'malformed', problem: 'the stream ended before the response was complete' };
  }

  /** The events that close the response, complete or not. */
  end(): DecodedEvents {
    const events: StreamEvent[] = [];
    for (const candidate of this.#candidates.values()) candidate.end(events);
    if (this.#candidates.size === 0) {
      const finish = { reason: 'content-filter', raw: this.#blockReason } as const;
      events.push({ type: 'finish', choice: 0, finish });
    }
    return { kind: 'end', events };
  }

  #start(chunk: JsonRecord, events: StreamEvent[]): void {
    if (this.#started) return;
    this.#started = true;
    const created = Date.parse(stringOr(chunk['createTime']));
    events.push({
      type: 'start',
      id: stringOr(chunk['responseId']),
      created: Number.isNaN(created) ? undefined : Math.floor(created / 1_000),
    });
  }

  #candidate(candidate: JsonRecord, events: StreamEvent[]): string | undefined {
    const index = candidateIndex(candidate);
    let decoder = this.#candidates.get(index);
    if (decoder === undefined) {
      decoder = new CandidateDecoder(index, this.#numbers, this.#context);
      this.#candidates.set(index, decoder);
    }
    const { finishReason } = candidate;
    return decoder.push(candidate, isFinish(finishReason) ? finishReason : '', events);
  }
}

/** The object of a chunk; if it has a function call, numbers keep all their digits. */
export function parseChunk(data: Buffer): JsonRecord | undefined {
  if (!isUtf8(data)) return undefined;
  const text = data.toString('utf8');
  const value = text.includes('functionCall') ? parseLosslessObject(text) : parseJson(text);
  return isRecord(value) ? value : undefined;
}
