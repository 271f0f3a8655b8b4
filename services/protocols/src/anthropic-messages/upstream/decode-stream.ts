import type { Opaque } from '../../canonical/opaque.ts';
import type { StreamEvent } from '../../canonical/stream.ts';
import type { ReportedFigures, Usage } from '../../canonical/usage.ts';
import type { UsageReport } from '../../canonical/usage-report.ts';
import { describeError } from '../../interface/errors.ts';
import type { DecodeContext, DecodedEvents, StreamDecoder } from '../../interface/protocol.ts';
import { isRecord, type JsonRecord, recordOr, stringOr } from '../../json/record.ts';
import { append } from '../../lists/stages.ts';
import type { SseEvent } from '../../sse/event.ts';
import { EventJson } from '../../sse/event-json.ts';
import { decodeCitation } from '../shared/citations.ts';
import { VARYING } from '../shared/event.ts';
import { decodeFinish } from '../shared/finish-reason.ts';
import { decodeSignature } from '../shared/reasoning.ts';
import { StreamUsage } from '../shared/stream-usage.ts';
import { BlockQueue, type OpenBlock } from './block-queue.ts';

/**
 * Decodes a stream. Lenient: any event before `message_start` begins the response, deltas of unopened blocks open them, and
 * open blocks are closed at the end. Blocks of kinds that no other protocol has are left out.
 */
export class MessagesStreamDecoder implements StreamDecoder {
  readonly #context: DecodeContext;
  readonly #queue: BlockQueue;
  readonly #json = new EventJson(VARYING);
  #out: StreamEvent[] = [];
  /** The parts of a message that was complete when it began. */
  #held: StreamEvent[] = [];
  #started = false;
  readonly #usage = new StreamUsage();
  #unreadable: ReportedFigures | undefined;
  /** The last usage report, if no content has come after it. */
  #current: Usage | undefined;
  #stopReason: unknown;
  #stopSequence: unknown;

  constructor(context: DecodeContext) {
    this.#context = context;
    this.#queue = new BlockQueue(context);
  }

  push(event: SseEvent): DecodedEvents {
    const { data } = event;
    if (data === undefined || data.length === 0) return NOTHING;
    const value = this.#json.parse(data);
    if (!isRecord(value)) return { kind: 'malformed', problem: 'a stream event is not a JSON object' };
    this.#out = [];
    this.#unreadable = undefined;
    switch (stringOr(value['type']) || event.type) {
      case 'content_block_delta':
        this.#current = undefined;
        this.#delta(value['index'], recordOr(value['delta']));
        return this.#events();
      case 'content_block_start':
        this.#start('', undefined);
        this.#held = [];
        this.#queue.open(value['index'], recordOr(value['content_block']), this.#out);
        return this.#events();
      case 'content_block_stop':
        this.#queue.close(value['index'], this.#out);
        return this.#events();
      case 'message_start': {
        const message = recordOr(value['message']);
        this.#start(stringOr(message['id']), message['usage'], data);
        this.#hold(message);
        return this.#events();
      }
      case 'message_delta':
        this.#messageDelta(value, data);
        return this.#events();
      case 'message_stop':
        return this.#end();
      case 'error':
        return { kind: 'error', error: describeError(value) };
      default:
        return value['error'] === undefined ? NOTHING : { kind: 'error', error: describeError(value) };
    }
  }

  eof(): DecodedEvents {
    if (this.#stopReason === undefined) {
      return { kind: 'malformed', problem: 'the stream ended before the response was complete' };
    }
    this.#out = [];
    return this.#end();
  }

  #start(id: string, usage: unknown, data: Buffer = NO_DATA): void {
    if (this.#started) return;
    this.#started = true;
    this.#out.push({ type: 'start', id, created: undefined });
    this.#report(this.#usage.start(usage, data));
  }

  /** Some upstreams send a complete message at the beginning. It is used only if no blocks follow. */
  #hold({ content, stop_reason: stopReason, stop_sequence: stopSequence }: JsonRecord): void {
    if (!Array.isArray(content) || content.length === 0) return;
    const queue = new BlockQueue(this.#context);
    this.#held = [];
    for (const [index, block] of content.entries()) queue.open(index, recordOr(block), this.#held);
    queue.closeAll(this.#held);
    this.#stopReason ??= typeof stopReason === 'string' ? stopReason : undefined;
    this.#stopSequence ??= typeof stopSequence === 'string' ? stopSequence : undefined;
  }

  #delta(index: unknown, delta: JsonRecord): void {
    this.#start('', undefined);
    this.#held = [];
    const queue = this.#queue;
    switch (delta['type']) {
      case 'text_delta':
        queue.text(queue.at(index, 'text', this.#out), stringOr(delta['text']), this.#out);
        break;
      case 'thinking_delta':
        queue.text(queue.at(index, 'thinking', this.#out), stringOr(delta['thinking']), this.#out);
        break;
      case 'input_json_delta':
        queue.text(queue.at(index, 'tool_use', this.#out), stringOr(delta['partial_json']), this.#out);
        break;
      case 'signature_delta':
        signature(queue.at(index, 'thinking', this.#out), decodeSignature(stringOr(delta['signature'])));
        break;
      case 'citations_delta': {
        const citation = decodeCitation(delta['citation']);
        if (citation !== undefined) queue.cite(queue.at(index, 'text', this.#out), citation, this.#out);
        break;
      }
      default:
    }
  }

  #messageDelta(value: JsonRecord, data: Buffer): void {
    this.#start('', undefined);
    const delta = recordOr(value['delta']);
    if (typeof delta['stop_reason'] === 'string') this.#stopReason = delta['stop_reason'];
    if (typeof delta['stop_sequence'] === 'string') this.#stopSequence = delta['stop_sequence'];
    this.#report(this.#usage.delta(value['usage'], data));
  }

  #report({ usage, unreadable, details }: UsageReport): void {
    if (usage !== undefined) this.#out.push({ type: 'usage', usage, ...(details !== undefined && { details }) });
    this.#current = usage;
    this.#unreadable = unreadable;
  }

  #end(): DecodedEvents {
    this.#start('', undefined);
    this.#queue.closeAll(this.#out);
    append(this.#out, this.#held);
    // Reported again, since it also covers what was kept back until here.
    if (this.#current !== undefined) this.#out.push({ type: 'usage', usage: this.#current });
    this.#out.push({ type: 'finish', choice: 0, finish: decodeFinish(this.#stopReason, this.#stopSequence) });
    return { kind: 'end', events: this.#out };
  }

  #events(): DecodedEvents {
    if (this.#out.length === 0 && this.#unreadable === undefined) return NOTHING;
    return { kind: 'events', events: this.#out, unreadable: this.#unreadable };
  }
}

const NO_DATA = Buffer.alloc(0);
const NOTHING: DecodedEvents = { kind: 'events', events: [] };

function signature(block: OpenBlock | undefined, opaque: Opaque | undefined): void {
  if (block !== undefined && opaque !== undefined) block.opaque = opaque;
}
