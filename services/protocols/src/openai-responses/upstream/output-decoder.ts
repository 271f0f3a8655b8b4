import type { ReasoningPart } from '../../canonical/part.ts';
import type { DecodeContext } from '../../interface/protocol.ts';
import { type JsonRecord, recordOr, stringOr } from '../../json/record.ts';
import { decodeReasoning } from '../shared/reasoning.ts';
import { callIdOf, decodeImage, recordsIn } from './decode-response.ts';
import { ItemKeys } from './item-keys.ts';
import { MessageDecoder } from './message-decoder.ts';
import { PartSequence } from './part-sequence.ts';

/** Decodes the output events of a stream: items, their parts, and the content of these. */
export class OutputDecoder {
  readonly parts = new PartSequence();
  readonly #context: DecodeContext;
  readonly #messages = new MessageDecoder(this.parts);
  readonly #keys = new ItemKeys();
  /** Reasoning may come complete and as a summary: what comes first is taken. */
  readonly #forms = new Map<string, ReasoningPart['form']>();
  /** Calls that were complete when they were announced. Their last event says whether they are the client's. */
  readonly #announced = new Map<string, JsonRecord>();
  #hasCalls = false;

  constructor(context: DecodeContext) {
    this.#context = context;
  }

  /** Whether a tool of the client was called. */
  get hasCalls(): boolean {
    return this.#hasCalls;
  }

  read(type: string, event: JsonRecord): void {
    const item = this.#keys.keyOf(type, event);
    switch (type) {
      case 'response.output_item.added':
        this.#announce(item, recordOr(event['item']));
        break;
      case 'response.output_item.done':
        this.#closeItem(item, recordOr(event['item']));
        break;
      case 'response.content_part.added':
        this.#messages.closePart(item);
        break;
      case 'response.content_part.done':
        this.#messages.endPart(item, recordOr(event['part']));
        break;
      case 'response.output_text.delta':
        this.#messages.grow(item, 'text', event);
        break;
      case 'response.output_text.done':
        this.#messages.completePart(item, 'text', event);
        break;
      case 'response.output_text.annotation.added':
        this.#messages.cite(item, event['annotation']);
        break;
      case 'response.refusal.delta':
        this.#messages.grow(item, 'refusal', event);
        break;
      case 'response.refusal.done':
        this.#messages.completePart(item, 'refusal', event);
        break;
      case 'response.reasoning_summary_part.added':
        this.#newParagraph(item, 'summary');
        break;
      case 'response.reasoning_summary_text.delta':
        this.#think(item, 'summary', stringOr(event['delta']));
        break;
      case 'response.reasoning_text.delta':
      case 'response.reasoning.delta':
        this.#think(item, 'full', stringOr(event['delta']));
        break;
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        this.#openAnnounced(item);
        this.parts.grow(item, stringOr(event['delta']));
        break;
      case 'response.function_call_arguments.done':
        this.#openAnnounced(item);
        this.#rest(item, stringOr(event['arguments']));
        break;
      case 'response.custom_tool_call_input.done':
        this.#openAnnounced(item);
        this.#rest(item, stringOr(event['input']));
        break;
      default:
        break;
    }
  }

  /** Ends the response. The output in the last event is used only if there was none before. */
  finish(output: unknown): void {
    for (const key of this.#announced.keys()) this.#openAnnounced(key);
    if (this.parts.isEmpty && Array.isArray(output)) {
      for (const [index, item] of output.entries()) this.#closeItem(String(index), recordOr(item));
    }
    this.parts.closeAll();
  }

  /**
   * Opens an item, unless it is a call that is complete already: Perplexity announces its own searches as such calls, and ends
   * them as their results.
   */
  #announce(key: string, item: JsonRecord): void {
    if (item['status'] === 'completed') this.#announced.set(key, item);
    else this.#openItem(key, item);
  }

  #openAnnounced(key: string): void {
    const item = this.#announced.get(key);
    if (item !== undefined) this.#openItem(key, item);
    this.#announced.delete(key);
  }

  #openItem(key: string, item: JsonRecord): void {
    const { type } = item;
    if (type !== 'function_call' && type !== 'custom_tool_call') return;
    if (this.parts.has(key)) return;
    this.#hasCalls = true;
    const isCustom = type === 'custom_tool_call';
    this.parts.open(key, {
      type: 'tool-call',
      kind: isCustom ? 'custom' : 'function',
      id: callIdOf(item, this.#context.newId),
      name: stringOr(item['name']),
    });
    this.parts.grow(key, stringOr(isCustom ? item['input'] : item['arguments']));
  }

  #closeItem(key: string, item: JsonRecord): void {
    this.#announced.delete(key);
    switch (item['type']) {
      case 'message':
        this.#messages.endMessage(key, recordsIn(item['content']));
        break;
      case 'function_call':
        this.#openItem(key, item);
        this.#rest(key, stringOr(item['arguments']));
        this.parts.close(key);
        break;
      case 'custom_tool_call':
        this.#openItem(key, item);
        this.#rest(key, stringOr(item['input']));
        this.parts.close(key);
        break;
      case 'reasoning':
        this.#closeReasoning(key, item);
        break;
      case 'image_generation_call': {
        const content = decodeImage(item);
        if (content !== undefined) this.parts.addWhole((part) => ({ type: 'media', part, choice: 0, content }));
        break;
      }
      default:
        break;
    }
  }

  #closeReasoning(key: string, item: JsonRecord): void {
    const reasoning = decodeReasoning(item);
    if (!this.parts.has(key)) {
      if (reasoning === undefined) return;
      this.parts.open(key, { type: 'reasoning', form: reasoning.form });
      this.parts.grow(key, reasoning.text);
    }
    this.parts.close(key, reasoning?.opaque);
  }

  #think(key: string, form: ReasoningPart['form'], delta: string): void {
    if (!this.#forms.has(key)) this.#forms.set(key, form);
    if (this.#forms.get(key) !== form) return;
    this.parts.open(key, { type: 'reasoning', form });
    this.parts.grow(key, delta);
  }

  /** Separates a further summary from the one before. */
  #newParagraph(key: string, form: ReasoningPart['form']): void {
    if (this.parts.lengthOf(key) > 0) this.#think(key, form, '\n\n');
  }

  #rest(key: string, fullText: string): void {
    const said = this.parts.lengthOf(key);
    if (fullText.length > said) this.parts.grow(key, fullText.slice(said));
  }
}
