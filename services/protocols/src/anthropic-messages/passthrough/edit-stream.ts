import { NO_REPORT } from '../../canonical/usage-report.ts';
import { describeError } from '../../interface/errors.ts';
import type { FinalUsage, ResponseContext, StreamStep, StreamTransformer } from '../../interface/protocol.ts';
import { costDetailEdits, hasUpstreamCost, withoutUpstreamCost } from '../../interface/upstream-cost.ts';
import { usageEdits } from '../../interface/usage-edit.ts';
import { isRecord, type JsonRecord, recordOr, stringOr } from '../../json/record.ts';
import { scanObject } from '../../json/scan.ts';
import { type Edit, splice } from '../../json/splice.ts';
import type { SseEvent } from '../../sse/event.ts';
import { encodeSseEvent, replaceData } from '../../sse/event.ts';
import { EventJson } from '../../sse/event-json.ts';
import { VARYING } from '../shared/event.ts';
import { StreamUsage } from '../shared/stream-usage.ts';
import { encodeDeltaUsage } from '../shared/usage.ts';
import { isBilledSearch, isProviderResult, textOfBlock, textOfContent, textOfDelta } from './generated-text.ts';

const NOTHING = Buffer.alloc(0);
const NO_COST: readonly Edit[] = [{ op: 'remove', path: ['usage', 'cost'] }, ...costDetailEdits('usage')];
const MESSAGE_STOP = encodeSseEvent('{"type":"message_stop"}', 'message_stop');

/** Events are scanned as leniently as JSON.parse, since providers may nest deeply and repeat keys. */
const LIMITS = { maxDepth: 256, uniqueKeys: false, within: ['message', 'usage'] };

/**
 * Passes on a stream. Only the model's name in `message_start` changes, and the cost in the usage of `message_delta`,
 * which is kept back with `message_stop` until the charge is in the journal.
 */
export class MessagesStreamTransformer implements StreamTransformer {
  readonly #context: ResponseContext;
  readonly #json = new EventJson(VARYING);
  readonly #usage = new StreamUsage();
  #started = false;
  /** The last `message_delta`, with its data. */
  #delta: SseEvent | undefined;
  #finishReason = '';
  #searches = 0;
  #repeatedPrompts = 0;
  #stop: Buffer = MESSAGE_STOP;

  constructor(context: ResponseContext) {
    this.#context = context;
  }

  push(event: SseEvent): StreamStep {
    const { data } = event;
    if (data === undefined || data.length === 0) return { kind: 'silent', bytes: event.raw };
    const value = this.#json.parse(data);
    if (!isRecord(value)) return malformed('a stream event is not a JSON object');
    const type = stringOr(value['type']) || event.type;
    switch (type) {
      case 'content_block_delta':
        return this.#content(named(event, type), textOfDelta(recordOr(value['delta'])));
      case 'content_block_start':
        return this.#blockStart(named(event, type), recordOr(value['content_block']));
      case 'message_start':
        return this.#start(event, value);
      case 'message_delta':
        return this.#messageDelta(event, value);
      case 'message_stop':
        if (!this.#started) return malformed('the stream ends before it has begun');
        // Clients use the event's name or the type in its data; some of them miss an end without either.
        if (value['type'] === type && (event.type === type || event.type === '')) this.#stop = named(event, type);
        return this.#end();
      case 'ping':
        return { kind: 'silent', bytes: named(event, type) };
      case 'error':
        return { kind: 'error', error: describeError(value) };
      default:
        return value['error'] === undefined
          ? this.#content(named(event, type), '')
          : { kind: 'error', error: describeError(value) };
    }
  }

  eof(): StreamStep {
    if (this.#finishReason === '') return malformed('the stream ended before the response was complete');
    return this.#end();
  }

  close(final: FinalUsage): Buffer {
    return Buffer.concat([this.#lastDelta(final), this.#stop]);
  }

  #start(event: SseEvent, value: JsonRecord): StreamStep {
    const { message } = value;
    if (!isRecord(message)) return malformed('the stream begins without a message');
    this.#started = true;
    const { model, usage } = message;
    const edits: Edit[] = [];
    if (model !== this.#context.model) {
      edits.push({ op: 'set', path: ['message', 'model'], json: JSON.stringify(this.#context.model) });
    }
    if (hasUpstreamCost(usage)) {
      edits.push({ op: 'set', path: ['message', 'usage'], json: JSON.stringify(withoutUpstreamCost(usage)) });
    }
    const report = this.#usage.start(usage, event.data ?? NOTHING);
    // Some upstreams send a complete message here.
    this.#finishReason = stringOr(message['stop_reason']);
    return this.#content(withEdits(event, 'message_start', edits), textOfContent(message['content']), report);
  }

  #blockStart(bytes: Buffer, block: JsonRecord): StreamStep {
    const step = this.#content(bytes, textOfBlock(block));
    if (step.kind !== 'content' || !isProviderResult(block)) return step;
    if (isBilledSearch(block)) this.#searches++;
    this.#repeatedPrompts++;
    return { ...step, searches: this.#searches, repeatedPrompts: this.#repeatedPrompts };
  }

  /** Only the last one is kept back. Earlier ones are passed on, since the last may not repeat them. */
  #messageDelta(event: SseEvent, value: JsonRecord): StreamStep {
    if (!this.#started) return malformed('the stream ends before it has begun');
    const earlier = this.#delta === undefined ? undefined : withEdits(this.#delta, 'message_delta', NO_COST);
    this.#delta = event;
    this.#finishReason = stringOr(recordOr(value['delta'])['stop_reason']) || this.#finishReason;
    return this.#content(earlier, '', this.#usage.delta(value['usage'], event.data ?? NOTHING));
  }

  #lastDelta(final: FinalUsage): Buffer {
    const usage = encodeDeltaUsage(final.usage, final.cost);
    if (this.#delta === undefined) {
      const reason = JSON.stringify(this.#finishReason || 'end_turn');
      const delta = `{"stop_reason":${reason},"stop_sequence":null,"stop_details":null,"container":null}`;
      return encodeSseEvent(`{"type":"message_delta","delta":${delta},"usage":${usage}}`, 'message_delta');
    }
    return withEdits(
      this.#delta,
      'message_delta',
      usageEdits('usage', final, () => usage),
    );
  }

  #content(bytes: Buffer | undefined, text: string, report = NO_REPORT): StreamStep {
    if (!this.#started) return malformed('the stream does not begin with message_start');
    return { kind: 'content', bytes, text, finishReason: this.#finishReason, ...report };
  }

  #end(): StreamStep {
    return { kind: 'end', bytes: undefined, text: '', finishReason: this.#finishReason, usage: undefined };
  }
}

function malformed(problem: string): StreamStep {
  return { kind: 'malformed', problem };
}

/** The unchanged event. A missing name is added, since clients of this protocol ignore events without one. */
function named(event: SseEvent, type: string): Buffer {
  return event.type === '' ? encodeSseEvent((event.data ?? NOTHING).toString('utf8'), type) : event.raw;
}

/** The event with edited data, and with a name. */
function withEdits(event: SseEvent, type: string, edits: readonly Edit[]): Buffer {
  const data = event.data ?? NOTHING;
  const scanned = scanObject(data, LIMITS);
  const edited = scanned.ok ? splice(scanned.object, edits) : data;
  if (edited === data) return named(event, type);
  return event.type === '' ? encodeSseEvent(edited.toString('utf8'), type) : replaceData(event, [edited], type);
}
