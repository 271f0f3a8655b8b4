import type { Opaque } from '../../canonical/opaque.ts';
import { wrapOpaque } from '../../canonical/opaque.ts';
import { OpaqueCarrier } from '../../canonical/opaque-carrier.ts';
import type { Finish } from '../../canonical/response.ts';
import { messagesTier } from '../../canonical/service-tier.ts';
import type { PartHead, StreamEvent } from '../../canonical/stream.ts';
import { type Usage, usageOf } from '../../canonical/usage.ts';
import type { FinalUsage, ResponseContext, StreamEncoder } from '../../interface/protocol.ts';
import type { JsonRecord } from '../../json/record.ts';
import { encodeCitation } from '../shared/citations.ts';
import { encodeFinish } from '../shared/finish-reason.ts';
import { encodeReasoning, isRedacted, UNSIGNED } from '../shared/reasoning.ts';
import { encodeDeltaUsage, encodeUsage } from '../shared/usage.ts';
import { messageHead, toolUseBlock } from './encode-response.ts';

interface OpenBlock {
  readonly head: PartHead;
  /** Undefined until the block has begun: it begins with its first text, so that none is empty. */
  index: number | undefined;
}

/** Encodes a stream. `message_delta` and `message_stop` wait for the final usage. */
export class MessagesStreamEncoder implements StreamEncoder {
  readonly #context: ResponseContext;
  readonly #carrier = new OpaqueCarrier({ endsInReasoning: false });
  readonly #open = new Map<number, OpenBlock>();
  #blocks = 0;
  #hasCalls = false;
  #hasRefusal = false;
  #finish: Finish = { reason: 'other', raw: '' };
  /** As reported by `message_start`. */
  #tier: string | undefined;

  constructor(context: ResponseContext) {
    this.#context = context;
  }

  push(events: readonly StreamEvent[]): Buffer | undefined {
    let text = '';
    for (const event of this.#carrier.push(events)) text += this.#write(event, events);
    return text === '' ? undefined : Buffer.from(text);
  }

  close(final: FinalUsage): Buffer {
    const stop = encodeFinish(this.#finish, { hasCalls: this.#hasCalls, hasRefusal: this.#hasRefusal });
    const delta = JSON.stringify({ ...stop, container: null });
    const usage = encodeDeltaUsage(final.usage, final.cost, messagesTier(this.#tier));
    return Buffer.from(
      `${sse('message_delta', `"delta":${delta},"usage":${usage}`)}event: message_stop\ndata: {"type":"message_stop"}\n\n`,
    );
  }

  #write(event: StreamEvent, all: readonly StreamEvent[]): string {
    switch (event.type) {
      case 'start':
        return this.#start(all);
      case 'part-start':
        return event.choice === 0 ? this.#opened(event.part, event.head) : '';
      case 'part-delta':
        return event.text === '' ? '' : this.#delta(event.part, event.text);
      case 'part-citation': {
        const citation = encodeCitation(event.citation);
        const block = this.#open.get(event.part);
        if (citation === undefined || block === undefined) return '';
        return this.#begun(block) + blockDelta(block, `"citations_delta","citation":${JSON.stringify(citation)}`);
      }
      case 'part-end':
        return this.#closed(event.part, event.opaque);
      case 'finish':
        if (event.choice === 0) this.#finish = event.finish;
        return '';
      case 'media':
      case 'logprobs':
      case 'usage':
        return '';
      default:
        return event satisfies never;
    }
  }

  /** The usage is only known if the upstream reports it at the start. */
  #start(all: readonly StreamEvent[]): string {
    let usage: Usage = usageOf({});
    for (const event of all) {
      if (event.type !== 'usage') continue;
      usage = event.usage ?? usage;
      this.#tier = event.details?.serviceTier ?? this.#tier;
    }
    const head = JSON.stringify(messageHead(this.#context));
    return sse(
      'message_start',
      `"message":${head.slice(0, -1)},"usage":${encodeUsage(withTier(usage, this.#tier), undefined)}}`,
    );
  }

  #opened(part: number, head: PartHead): string {
    const block: OpenBlock = { head, index: undefined };
    this.#open.set(part, block);
    if (head.type === 'refusal') this.#hasRefusal = true;
    if (head.type !== 'tool-call') return '';
    this.#hasCalls = true;
    return this.#begun(block);
  }

  #delta(part: number, text: string): string {
    const block = this.#open.get(part);
    if (block === undefined) return '';
    return this.#begun(block) + blockDelta(block, `${deltaKind(block.head)}${JSON.stringify(text)}`);
  }

  #closed(part: number, opaque: Opaque | undefined): string {
    const block = this.#open.get(part);
    if (block === undefined) return '';
    this.#open.delete(part);
    if (block.head.type === 'reasoning') return this.#signed(block, opaque);
    return block.index === undefined ? '' : blockStop(block.index);
  }

  /** Closes reasoning; undefined: it has no signature. */
  #signed(block: OpenBlock, opaque: Opaque | undefined): string {
    if (opaque === undefined && block.index === undefined) return '';
    if (opaque !== undefined && block.index === undefined && isRedacted(opaque)) {
      const redacted = encodeReasoning({ type: 'reasoning', form: 'full', text: '', opaque });
      return redacted === undefined ? '' : this.#begin(block, redacted) + blockStop(block.index);
    }
    const begun = this.#begun(block);
    const signature = opaque === undefined ? UNSIGNED : wrapOpaque(opaque, 'anthropic-messages');
    const delta = `"signature_delta","signature":${JSON.stringify(signature)}`;
    return begun + blockDelta(block, delta) + blockStop(block.index);
  }

  #begun(block: OpenBlock): string {
    return block.index === undefined ? this.#begin(block, emptyBlock(block.head)) : '';
  }

  #begin(block: OpenBlock, content: JsonRecord): string {
    block.index = this.#blocks++;
    return sse('content_block_start', `"index":${block.index},"content_block":${JSON.stringify(content)}`);
  }
}

function withTier(usage: Usage, tier: string | undefined): Usage {
  return tier === undefined ? usage : { ...usage, options: { service_tier: tier } };
}

function emptyBlock(head: PartHead): JsonRecord {
  switch (head.type) {
    case 'text':
    case 'refusal':
      return { type: 'text', text: '', citations: null };
    case 'reasoning':
      return { type: 'thinking', thinking: '', signature: '' };
    case 'tool-call':
      return toolUseBlock(head, {});
    default:
      return head satisfies never;
  }
}

/** The beginning of a delta, up to its text. */
function deltaKind(head: PartHead): string {
  switch (head.type) {
    case 'text':
    case 'refusal':
      return '"text_delta","text":';
    case 'reasoning':
      return '"thinking_delta","thinking":';
    case 'tool-call':
      return '"input_json_delta","partial_json":';
    default:
      return head satisfies never;
  }
}

function blockDelta({ index }: OpenBlock, delta: string): string {
  return sse('content_block_delta', `"index":${index},"delta":{"type":${delta}}`);
}

function blockStop(index: number | undefined): string {
  return index === undefined ? '' : sse('content_block_stop', `"index":${index}`);
}

/** An event; `members` are those after its type. */
function sse(type: string, members: string): string {
  return `event: ${type}\ndata: {"type":"${type}",${members}}\n\n`;
}
