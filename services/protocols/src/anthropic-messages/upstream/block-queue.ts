import type { Opaque } from '../../canonical/opaque.ts';
import type { Citation } from '../../canonical/part.ts';
import type { PartHead, StreamEvent } from '../../canonical/stream.ts';
import { inputText } from '../../canonical/tool-call.ts';
import type { DecodeContext } from '../../interface/protocol.ts';
import { isRecord, type JsonRecord, stringOr } from '../../json/record.ts';
import { Queue } from '../../lists/queue.ts';
import { append } from '../../lists/stages.ts';
import { decodeCitations } from '../shared/citations.ts';
import { decodeReasoning } from '../shared/reasoning.ts';

/** An open block of a stream. */
export interface OpenBlock {
  readonly part: number;
  readonly type: 'text' | 'thinking' | 'tool_use';
  /** The signature of a reasoning block. */
  opaque: Opaque | undefined;
  /** The input that a call began with, for upstreams that send it at once; undefined once a delta has come. */
  input: JsonRecord | undefined;
  /** The first half of a surrogate pair whose second half comes next. */
  half: string;
  /** Events that wait for the block before to end. */
  readonly waiting: StreamEvent[];
  isClosed: boolean;
}

/**
 * Decodes the blocks of a stream as parts, one after the other: while a block is open, events of later ones wait.
 * Anthropic itself never opens two at a time.
 */
export class BlockQueue {
  readonly #context: DecodeContext;
  readonly #open = new Map<unknown, OpenBlock | undefined>();
  readonly #order = new Queue<OpenBlock>();
  #parts = 0;

  constructor(context: DecodeContext) {
    this.#context = context;
  }

  /** Opens a block. Blocks without a canonical part are remembered, so that their deltas are dropped. */
  open(index: unknown, content: JsonRecord, out: StreamEvent[]): void {
    this.close(index, out);
    switch (content['type']) {
      case 'text': {
        const block = this.#begin(index, 'text', { type: 'text' }, out);
        this.text(block, stringOr(content['text']), out);
        for (const citation of decodeCitations(content['citations'])) this.cite(block, citation, out);
        break;
      }
      case 'thinking':
      case 'redacted_thinking': {
        const part = decodeReasoning(content);
        const form = content['type'] === 'thinking' ? 'summary' : 'full';
        const block = this.#begin(index, 'thinking', { type: 'reasoning', form }, out);
        block.opaque = part?.opaque;
        this.text(block, part?.text ?? '', out);
        break;
      }
      case 'tool_use': {
        const id = stringOr(content['id']) || `call_${this.#context.newId()}`;
        const head: PartHead = { type: 'tool-call', id, name: stringOr(content['name']), kind: 'function' };
        const block = this.#begin(index, 'tool_use', head, out);
        if (isRecord(content['input'])) block.input = content['input'];
        break;
      }
      default:
        this.#open.set(index, undefined);
    }
  }

  /** The block of that type at an index. A block that was not opened is opened now, unless it is a call without a name. */
  at(index: unknown, type: OpenBlock['type'], out: StreamEvent[]): OpenBlock | undefined {
    if (!this.#open.has(index) && type !== 'tool_use') this.open(index, { type }, out);
    const block = this.#open.get(index);
    return block?.type === type ? block : undefined;
  }

  text(block: OpenBlock | undefined, text: string, out: StreamEvent[]): void {
    if (block === undefined || text === '') return;
    block.input = undefined;
    const joined = block.half + text;
    const isCut = isHighSurrogate(joined.charCodeAt(joined.length - 1));
    block.half = isCut ? joined.slice(-1) : '';
    const said = isCut ? joined.slice(0, -1) : joined;
    if (said !== '') this.#emit(block, { type: 'part-delta', part: block.part, text: said.toWellFormed() }, out);
  }

  cite(block: OpenBlock | undefined, citation: Citation, out: StreamEvent[]): void {
    if (block !== undefined) this.#emit(block, { type: 'part-citation', part: block.part, citation }, out);
  }

  close(index: unknown, out: StreamEvent[]): void {
    const block = this.#open.get(index);
    this.#open.delete(index);
    if (block !== undefined) this.#finish(block, out);
  }

  closeAll(out: StreamEvent[]): void {
    for (const index of [...this.#open.keys()]) this.close(index, out);
  }

  #begin(index: unknown, type: OpenBlock['type'], head: PartHead, out: StreamEvent[]): OpenBlock {
    const part = this.#parts++;
    const block: OpenBlock = {
      part,
      type,
      opaque: undefined,
      input: undefined,
      half: '',
      waiting: [],
      isClosed: false,
    };
    this.#open.set(index, block);
    this.#order.push(block);
    this.#emit(block, { type: 'part-start', part, choice: 0, head }, out);
    return block;
  }

  #emit(block: OpenBlock, event: StreamEvent, out: StreamEvent[]): void {
    if (this.#order.first === block) out.push(event);
    else block.waiting.push(event);
  }

  #finish(block: OpenBlock, out: StreamEvent[]): void {
    const { part, opaque, input, half } = block;
    if (input !== undefined && Object.keys(input).length > 0) {
      this.#emit(block, { type: 'part-delta', part, text: inputText(input).toWellFormed() }, out);
    } else if (half !== '') {
      this.#emit(block, { type: 'part-delta', part, text: half.toWellFormed() }, out);
    }
    this.#emit(block, opaque === undefined ? { type: 'part-end', part } : { type: 'part-end', part, opaque }, out);
    block.isClosed = true;
    while (this.#order.first?.isClosed) {
      this.#order.dropFirst();
      const next = this.#order.first;
      if (next !== undefined) append(out, next.waiting.splice(0));
    }
  }
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}
