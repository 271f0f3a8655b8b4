import { describeError } from '../../interface/errors.ts';
import type { FinalUsage, ResponseContext, StreamStep, StreamTransformer } from '../../interface/protocol.ts';
import { type JsonObject, memberOf } from '../../json/object.ts';
import { isRecord, type JsonRecord, recordOr, stringOr } from '../../json/record.ts';
import { scanObject } from '../../json/scan.ts';
import { type Edit, splice } from '../../json/splice.ts';
import type { SseEvent } from '../../sse/event.ts';
import { replaceData } from '../../sse/event.ts';
import { EventJson } from '../../sse/event-json.ts';
import { VARYING } from '../shared/event.ts';
import type { StreamPosition } from '../shared/event-writer.ts';
import { failureOf, finishWord } from '../shared/finish-reason.ts';
import { generatedText } from '../shared/generated-text.ts';
import { type SeenUses, usesOf, withItem, withUses } from '../shared/searches.ts';
import { readReport } from '../shared/usage.ts';
import { ContentIndices } from './content-indices.ts';
import { renderResponse } from './edit-response.ts';

const EMPTY = Buffer.alloc(0);
const DONE = Buffer.from('[DONE]');

/** Events are scanned as leniently as JSON.parse, since providers may nest deeply and repeat keys. */
const OUTER_LIMITS = { maxDepth: 256, uniqueKeys: false, within: [] };
const INNER_LIMITS = { maxDepth: 256, uniqueKeys: false, within: ['usage'] };

/**
 * Passes on a stream of responses. Only the events with the response object are edited, and indices of content that clients
 * cannot resolve; all others stay as they are. The event that ends the response is kept back until the charge is known.
 */
export class ResponsesStreamTransformer implements StreamTransformer {
  readonly #context: ResponseContext;
  readonly #json = new EventJson(VARYING);
  readonly #position: StreamPosition;
  readonly #contentIndices = new ContentIndices();
  #last: { event: SseEvent; found: ResponseEvent; type: string } | undefined;
  /** Characters generated so far. */
  #characters = 0;
  #uses: SeenUses = { searches: 0, repeatedPrompts: 0 };

  /** @param position is updated with what the client has received, so that an error event continues the sequence */
  constructor(context: ResponseContext, position: StreamPosition) {
    this.#context = context;
    this.#position = position;
  }

  push(event: SseEvent): StreamStep {
    const { data } = event;
    if (data === undefined || data.length === 0) return { kind: 'silent', bytes: event.raw };
    const value = this.#json.parse(data);
    if (!isRecord(value)) return isDone(data) ? { kind: 'silent', bytes: undefined } : MALFORMED;
    const type = typeof value['type'] === 'string' ? value['type'] : event.type;
    switch (type) {
      case 'response.created':
      case 'response.in_progress':
      case 'response.queued':
        this.#passes(value);
        return this.#snapshot(event, recordOr(value['response']));
      case 'response.completed':
      case 'response.incomplete':
        return this.#end(event, type, value['response']);
      case 'response.failed':
      case 'response.cancelled':
      case 'error':
        return { kind: 'error', error: describeError(failureOf(recordOr(value['response'])) ?? value) };
      case '':
        return isRecord(value['error']) ? { kind: 'error', error: describeError(value) } : MALFORMED;
      default:
        this.#passes(value);
        if (type === 'response.output_item.done') this.#uses = withItem(this.#uses, recordOr(value['item']));
        return this.#content(this.#withContentIndex(event, type, value), textOf(type, value));
    }
  }

  eof(): StreamStep {
    return { kind: 'malformed', problem: 'the stream ended before the response was complete' };
  }

  close(final: FinalUsage): Buffer {
    if (this.#last === undefined) return EMPTY;
    const { event, found, type } = this.#last;
    // The type of the last event may be only in its name; clients look for it in the data.
    const isNamed = memberOf(found.event, 'type')?.kind === 'string';
    return this.#edit(event, found, final, isNamed ? [] : [{ op: 'set', path: ['type'], json: JSON.stringify(type) }]);
  }

  /** Records the number of an event sent to the client. */
  #passes(value: JsonRecord): void {
    const sequence = value['sequence_number'];
    if (typeof sequence === 'number' && Number.isSafeInteger(sequence)) this.#position.sequence = sequence + 1;
  }

  #snapshot(event: SseEvent, response: JsonRecord): StreamStep {
    this.#position.response ??= response;
    const found = responseIn(event);
    const bytes = found === undefined ? event.raw : this.#edit(event, found, undefined);
    const { details } = readReport(response, event.data ?? EMPTY, ['response']);
    return { kind: 'opening', bytes, details };
  }

  #withContentIndex(event: SseEvent, type: string, value: JsonRecord): Buffer {
    const index = this.#contentIndices.correction(type, value);
    const scanned = index === undefined ? undefined : scanObject(event.data ?? EMPTY, OUTER_LIMITS);
    if (scanned?.ok !== true) return event.raw;
    return replaceData(event, [splice(scanned.object, [{ op: 'set', path: ['content_index'], json: String(index) }])]);
  }

  #content(bytes: Buffer, text: string): StreamStep {
    this.#characters += text.length;
    return { kind: 'content', bytes, text, finishReason: '', usage: undefined, ...this.#uses };
  }

  #end(event: SseEvent, type: string, response: unknown): StreamStep {
    const found = responseIn(event);
    if (!isRecord(response) || found === undefined) return MALFORMED;
    this.#last = { event, found, type };
    const report = readReport(response, event.data ?? EMPTY, ['response']);
    // Some upstreams send no or not all deltas.
    const text = outputText(response['output']).slice(this.#characters);
    return {
      kind: 'end',
      bytes: undefined,
      text,
      finishReason: finishWord(response),
      ...withUses(report, usesOf(response, this.#uses)),
    };
  }

  /** The event with another model's name, and with the final usage, in its response. */
  #edit(event: SseEvent, found: ResponseEvent, final: FinalUsage | undefined, more: readonly Edit[] = []): Buffer {
    const json = renderResponse(found.response, this.#context.model, final).toString('utf8');
    return replaceData(event, [splice(found.event, [{ op: 'set', path: ['response'], json }, ...more])]);
  }
}

/** The object of an event, and the response in it. */
interface ResponseEvent {
  event: JsonObject;
  response: JsonObject;
}

/** The editable objects of an event; undefined if it cannot be edited. */
function responseIn({ data = EMPTY }: SseEvent): ResponseEvent | undefined {
  const outer = scanObject(data, OUTER_LIMITS);
  const member = outer.ok ? memberOf(outer.object, 'response') : undefined;
  if (!outer.ok || member?.kind !== 'object') return undefined;
  const inner = scanObject(data.subarray(member.valueStart, member.valueEnd), INNER_LIMITS);
  return inner.ok ? { event: outer.object, response: inner.object } : undefined;
}

const MALFORMED: StreamStep = {
  kind: 'malformed',
  problem: 'a stream event is not an event of the responses protocol',
};

/** Some upstreams end with the [DONE] of chat completions, which is no event here. */
function isDone(data: Buffer): boolean {
  return data.equals(DONE);
}

/** The generated text of a complete output. */
function outputText(output: unknown): string {
  return Array.isArray(output) ? output.map((item) => generatedText(recordOr(item))).join('') : '';
}

/** The generated text, by the type of the event. Events that repeat deltas have none. */
function textOf(type: string, event: JsonRecord): string {
  if (type.endsWith('.delta')) return stringOr(event['delta']);
  if (type !== 'response.output_item.added') return '';
  return stringOr(recordOr(event['item'])['name']);
}
