import { describeError } from '../../interface/errors.ts';
import type { DecodeContext, DecodedEvents, StreamDecoder } from '../../interface/protocol.ts';
import { isRecord, type JsonRecord, recordOr, stringOr } from '../../json/record.ts';
import type { SseEvent } from '../../sse/event.ts';
import { EventJson } from '../../sse/event-json.ts';
import { VARYING } from '../shared/event.ts';
import { decodeFinish, failureOf, finishWord } from '../shared/finish-reason.ts';
import { readReport } from '../shared/usage.ts';
import { OutputDecoder } from './output-decoder.ts';

/**
 * Reads a stream of an upstream. Events of unknown types are ignored; if an upstream leaves out events of a
 * part (its opening, its deltas, its end), they are generated from the other events.
 */
export class ResponsesStreamDecoder implements StreamDecoder {
  readonly #json = new EventJson(VARYING);
  readonly #output: OutputDecoder;
  #hasStarted = false;
  #hasEnded = false;

  constructor(context: DecodeContext) {
    this.#output = new OutputDecoder(context);
  }

  push(event: SseEvent): DecodedEvents {
    const { data } = event;
    if (data === undefined || data.length === 0 || this.#hasEnded) return NOTHING;
    const value = this.#json.parse(data);
    if (!isRecord(value)) return data.toString('latin1').trim() === '[DONE]' ? NOTHING : MALFORMED;
    const type = stringOr(value['type']) || event.type;
    switch (type) {
      case 'response.created':
      case 'response.in_progress':
      case 'response.queued':
        this.#start(recordOr(value['response']), data);
        return this.#take('events');
      case 'response.completed':
      case 'response.incomplete':
        return this.#end(value['response'], data);
      case 'response.failed':
      case 'response.cancelled':
      case 'error':
        return { kind: 'error', error: describeError(failureOf(recordOr(value['response'])) ?? value) };
      case '':
        return isRecord(value['error']) ? { kind: 'error', error: describeError(value) } : MALFORMED;
      default:
        this.#start({});
        this.#output.read(type, value);
        return this.#take('events');
    }
  }

  eof(): DecodedEvents {
    return this.#hasEnded ? END : { kind: 'malformed', problem: 'the stream ended before the response was complete' };
  }

  #start(response: JsonRecord, data: Buffer = NO_DATA): void {
    if (this.#hasStarted) return;
    this.#hasStarted = true;
    const created = response['created_at'];
    this.#output.parts.add({
      type: 'start',
      id: stringOr(response['id']),
      created: typeof created === 'number' ? Math.trunc(created) : undefined,
    });
    const { details } = readReport(response, data, ['response']);
    if (details !== undefined) this.#output.parts.add({ type: 'usage', usage: undefined, details });
  }

  #end(response: unknown, data: Buffer): DecodedEvents {
    if (!isRecord(response)) return MALFORMED;
    this.#start(response);
    this.#output.finish(response['output']);
    const { parts, hasCalls } = this.#output;
    const finish = decodeFinish(finishWord(response), { calls: hasCalls, refusal: parts.hasRefusal });
    parts.add({ type: 'finish', choice: 0, finish });
    const { usage, unreadable, details } = readReport(response, data, ['response']);
    if (usage !== undefined || details !== undefined) {
      parts.add({ type: 'usage', usage, ...(details !== undefined && { details }) });
    }
    this.#hasEnded = true;
    return { ...this.#take('end'), unreadable };
  }

  #take(kind: 'events' | 'end'): Extract<DecodedEvents, { events: unknown }> {
    return { kind, events: this.#output.parts.take() };
  }
}

const NO_DATA = Buffer.alloc(0);
const NOTHING: DecodedEvents = { kind: 'events', events: [] };
const END: DecodedEvents = { kind: 'end', events: [] };
const MALFORMED: DecodedEvents = {
  kind: 'malformed',
  problem: 'a stream event is not an event of the responses protocol',
};
