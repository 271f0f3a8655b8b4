import type { Opaque } from '../../canonical/opaque.ts';
import type { Citation, ImagePart } from '../../canonical/part.ts';
import type { TokenLogprob } from '../../canonical/response.ts';
import type { PartHead } from '../../canonical/stream.ts';
import type { JsonRecord } from '../../json/record.ts';
import { append } from '../../lists/stages.ts';
import { encodeCitation } from '../shared/citations.ts';
import type { EventWriter } from '../shared/event-writer.ts';
import { encodeLogprobs } from '../shared/logprobs.ts';
import {
  callPrefix,
  encodeCall,
  encodeImage,
  encodeMessage,
  encodeReasoning,
  encodeText,
  type ItemContext,
  type ItemStatus,
} from './encode-output.ts';

/** The message that collects texts and refusals. */
interface OpenMessage {
  readonly id: string;
  readonly content: JsonRecord[];
}

/** The part that is open. */
interface OpenPart {
  readonly head: PartHead;
  /** The item's id, and the beginning of the part's events after their number. */
  readonly id: string;
  readonly prefix: string;
  text: string;
  readonly annotations: JsonRecord[];
  logprobs: JsonRecord[];
}

/** Encodes the events of a response's items, and keeps the items for the last event, which repeats them. */
export class OutputEncoder {
  readonly items: JsonRecord[] = [];
  readonly #events: EventWriter;
  readonly #context: ItemContext;
  #message: OpenMessage | undefined;
  #part: OpenPart | undefined;
  /** Log probabilities of tokens whose text has not come yet. */
  #logprobs: JsonRecord[] = [];

  constructor(events: EventWriter, context: ItemContext) {
    this.#events = events;
    this.#context = context;
  }

  open(head: PartHead): void {
    switch (head.type) {
      case 'text':
      case 'refusal':
        this.#openContent(head);
        break;
      case 'reasoning': {
        this.#closeMessage('completed');
        const id = this.#begin('rs_', (given) => ({
          id: given,
          type: 'reasoning',
          status: 'in_progress',
          summary: [],
        }));
        this.#part = this.#newPart(
          head,
          id,
          this.#shownForm(head) === 'summary' ? ',"summary_index":0' : ',"content_index":0',
        );
        break;
      }
      case 'tool-call': {
        this.#closeMessage('completed');
        const call = { ...head, input: '' };
        const id = this.#begin(callPrefix(head, this.#context.declaredTools), (given) =>
          encodeCall(given, call, 'in_progress', this.#context.declaredTools),
        );
        this.#part = this.#newPart(head, id, '');
        break;
      }
      default:
        head satisfies never;
    }
  }

  grow(delta: string): void {
    const part = this.#part;
    if (part === undefined || delta === '') return;
    if (part.text === '' && part.head.type === 'reasoning') this.#openThoughts(part);
    part.text += delta;
    // Calls of tools that the protocol defines have no deltas.
    if (this.#isTyped(part.head)) return;
    const members = `${part.prefix},"delta":${JSON.stringify(delta)}`;
    if (part.head.type !== 'text') this.#events.write(DELTAS[this.#kindOf(part.head)], members);
    else this.#events.write(DELTAS.text, `${members},"logprobs":${this.#takeLogprobs(part)}`);
  }

  cite(citation: Citation): void {
    const part = this.#part;
    const annotation = encodeCitation(citation);
    if (part === undefined || annotation === undefined) return;
    const index = part.annotations.push(annotation) - 1;
    const members = `${part.prefix},"annotation_index":${index},"annotation":${JSON.stringify(annotation)}`;
    this.#events.write('response.output_text.annotation.added', members);
  }

  weigh(tokens: readonly TokenLogprob[]): void {
    append(this.#logprobs, encodeLogprobs(tokens));
  }

  close(opaque: Opaque | undefined): void {
    const part = this.#part;
    this.#part = undefined;
    if (part === undefined) return;
    const { head, prefix, text, id } = part;
    switch (head.type) {
      case 'text': {
        this.#takeLogprobs(part);
        const logprobs = JSON.stringify(part.logprobs);
        this.#events.write(
          'response.output_text.done',
          `${prefix},"text":${JSON.stringify(text)},"logprobs":${logprobs}`,
        );
        this.#closeContent(part, encodeText(text, part.annotations, part.logprobs));
        break;
      }
      case 'refusal':
        this.#events.write('response.refusal.done', `${prefix},"refusal":${JSON.stringify(text)}`);
        this.#closeContent(part, { type: 'refusal', refusal: text });
        break;
      case 'reasoning': {
        if (text !== '') this.#closeThoughts(part);
        const wrapped = opaque === undefined ? {} : { opaque };
        const { showsSummary } = this.#context;
        // The id was sent before the signature was known, so it stays.
        this.#end({
          ...encodeReasoning(id, { type: 'reasoning', form: head.form, text, ...wrapped }, showsSummary),
          id,
        });
        break;
      }
      case 'tool-call': {
        const [type, field] = CALL_DONE[head.kind];
        if (!this.#isTyped(head)) this.#events.write(type, `${prefix},"${field}":${JSON.stringify(text)}`);
        this.#end(encodeCall(id, { ...head, input: text }, 'completed', this.#context.declaredTools));
        break;
      }
      default:
        head satisfies never;
    }
  }

  /** An image, in one event. */
  image(part: ImagePart): void {
    const id = `ig_${this.#context.newId()}`;
    const item = encodeImage(id, part);
    if (item === undefined) return;
    this.#closeMessage('completed');
    this.#itemEvent('response.output_item.added', { ...item, status: 'in_progress', result: null });
    const index = this.items.length;
    this.#events.write('response.image_generation_call.completed', `"output_index":${index},"item_id":"${id}"`);
    this.#end(item);
  }

  /** Closes the open parts. */
  finish(status: ItemStatus): void {
    if (this.#part !== undefined) this.close(undefined);
    this.#closeMessage(status);
    const last = this.items.findLastIndex((item) => item['type'] === 'message');
    const content = this.items[last]?.['content'];
    if (Array.isArray(content)) this.items[last] = { ...this.items[last], content: this.#withLateLogprobs(content) };
  }

  #isTyped(head: PartHead): boolean {
    return head.type === 'tool-call' && this.#context.declaredTools.get(head.name)?.kind === 'typed';
  }

  #openContent(head: Extract<PartHead, { readonly type: 'text' | 'refusal' }>): void {
    this.#message ??= {
      id: this.#begin('msg_', (id) => encodeMessage(id, 'in_progress', [])),
      content: [],
    };
    const { id, content } = this.#message;
    const part = this.#newPart(head, id, `,"content_index":${content.length}`);
    this.#part = part;
    const empty = head.type === 'text' ? encodeText('', [], []) : { type: 'refusal', refusal: '' };
    this.#events.write('response.content_part.added', `${part.prefix},"part":${JSON.stringify(empty)}`);
  }

  #closeContent({ prefix }: OpenPart, json: JsonRecord): void {
    this.#events.write('response.content_part.done', `${prefix},"part":${JSON.stringify(json)}`);
    this.#message?.content.push(json);
  }

  #closeMessage(status: ItemStatus): void {
    const message = this.#message;
    if (message === undefined) return;
    this.#message = undefined;
    this.#end(encodeMessage(message.id, status, this.#withLateLogprobs(message.content)));
  }

  /** Log probabilities after their text belong to the last text of the message. */
  #withLateLogprobs(content: readonly JsonRecord[]): readonly JsonRecord[] {
    if (this.#logprobs.length === 0) return content;
    const last = content.findLastIndex((part) => part['type'] === 'output_text');
    if (last === -1) return content;
    const late = this.#logprobs;
    this.#logprobs = [];
    return content.map((part, index) => {
      const reported: unknown = part['logprobs'];
      return index === last && Array.isArray(reported) ? { ...part, logprobs: [...reported, ...late] } : part;
    });
  }

  #takeLogprobs(part: OpenPart): string {
    if (this.#logprobs.length === 0) return '[]';
    const taken = this.#logprobs;
    this.#logprobs = [];
    append(part.logprobs, taken);
    return JSON.stringify(taken);
  }

  #openThoughts({ head, prefix }: OpenPart): void {
    if (head.type !== 'reasoning') return;
    const [type, kind] = this.#shownForm(head) === 'summary' ? SUMMARY_ADDED : THOUGHTS_ADDED;
    this.#events.write(type, `${prefix},"part":{"type":"${kind}","text":""}`);
  }

  #closeThoughts({ head, prefix, text }: OpenPart): void {
    if (head.type !== 'reasoning') return;
    const json = JSON.stringify(text);
    const isSummary = this.#shownForm(head) === 'summary';
    this.#events.write(
      isSummary ? 'response.reasoning_summary_text.done' : 'response.reasoning_text.done',
      `${prefix},"text":${json}`,
    );
    this.#events.write(
      isSummary ? 'response.reasoning_summary_part.done' : 'response.content_part.done',
      `${prefix},"part":{"type":"${isSummary ? 'summary_text' : 'reasoning_text'}","text":${json}}`,
    );
  }

  #kindOf(head: PartHead): keyof typeof DELTAS {
    switch (head.type) {
      case 'text':
      case 'refusal':
        return head.type;
      case 'reasoning':
        return this.#shownForm(head);
      case 'tool-call':
        return head.kind;
      default:
        return head satisfies never;
    }
  }

  #shownForm({ form }: Extract<PartHead, { type: 'reasoning' }>): 'full' | 'summary' {
    return this.#context.showsSummary ? 'summary' : form;
  }

  #begin(prefix: string, make: (id: string) => JsonRecord): string {
    const id = `${prefix}${this.#context.newId()}`;
    this.#itemEvent('response.output_item.added', make(id));
    return id;
  }

  #end(item: JsonRecord): void {
    this.#itemEvent('response.output_item.done', item);
    this.items.push(item);
  }

  #itemEvent(type: string, item: JsonRecord): void {
    this.#events.write(type, `"output_index":${this.items.length},"item":${JSON.stringify(item)}`);
  }

  #newPart(head: PartHead, id: string, index: string): OpenPart {
    const prefix = `"item_id":${JSON.stringify(id)},"output_index":${this.items.length}${index}`;
    return { head, id, prefix, text: '', annotations: [], logprobs: [] };
  }
}

const DELTAS = {
  text: 'response.output_text.delta',
  refusal: 'response.refusal.delta',
  full: 'response.reasoning_text.delta',
  summary: 'response.reasoning_summary_text.delta',
  function: 'response.function_call_arguments.delta',
  custom: 'response.custom_tool_call_input.delta',
} as const;

const CALL_DONE = {
  function: ['response.function_call_arguments.done', 'arguments'],
  custom: ['response.custom_tool_call_input.done', 'input'],
} as const;

const SUMMARY_ADDED = ['response.reasoning_summary_part.added', 'summary_text'] as const;
const THOUGHTS_ADDED = ['response.content_part.added', 'reasoning_text'] as const;
