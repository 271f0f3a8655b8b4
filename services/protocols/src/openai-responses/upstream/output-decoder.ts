import type { TokenLogprob } from '../../canonical/response.ts';
import type { DecodeContext } from '../../interface/protocol.ts';
import { type JsonRecord, recordOr, stringOr } from '../../json/record.ts';
import { decodeCitation, decodeCitations } from '../shared/citations.ts';
import { decodeLogprobs } from '../shared/logprobs.ts';
import { decodeReasoning } from '../shared/reasoning.ts';
import { callIdOf, decodeImage } from './decode-response.ts';
import { PartSequence } from './part-sequence.ts';

/** Decodes the output events of a stream: items, their parts, and the content of these. */
export class OutputDecoder {
  readonly parts = new PartSequence();
  readonly #context: DecodeContext;
  /** Texts whose citations came one by one, so that those in their last event are ignored. */
  readonly #cited = new Set<string>();
  /** Tokens of each text whose log probabilities have come. */
  readonly #logprobCounts = new Map<string, number>();
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
    const item = itemKey(event);
    const content = `${item}:${indexOf(event['content_index'])}`;
    switch (type) {
      case 'response.output_item.added':
        this.#announce(item, recordOr(event['item']));
        break;
      case 'response.output_item.done':
        this.#closeItem(item, recordOr(event['item']));
        break;
      case 'response.content_part.added':
        this.#openContent(content, stringOr(recordOr(event['part'])['type']));
        break;
      case 'response.content_part.done':
        this.#closeContent(content, recordOr(event['part']));
        break;
      case 'response.output_text.delta':
        this.#text(content, event);
        break;
      case 'response.output_text.done':
        this.#catchUp(content, 'text', stringOr(event['text']));
        this.#weigh(content, event['logprobs']);
        break;
      case 'response.output_text.annotation.added':
        this.#cite(content, event['annotation']);
        break;
      case 'response.refusal.delta':
        this.parts.open(content, { type: 'refusal' });
        this.parts.grow(content, stringOr(event['delta']));
        break;
      case 'response.refusal.done':
        this.#catchUp(content, 'refusal', stringOr(event['refusal']));
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
        this.#closeMessage(key, item['content']);
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

  #closeMessage(key: string, content: unknown): void {
    if (!Array.isArray(content)) return;
    for (const [index, part] of content.entries()) this.#closeContent(`${key}:${index}`, recordOr(part));
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

  #openContent(key: string, type: string): void {
    if (type === 'output_text') this.parts.open(key, { type: 'text' });
    if (type === 'refusal') this.parts.open(key, { type: 'refusal' });
  }

  #closeContent(key: string, part: JsonRecord): void {
    switch (part['type']) {
      case 'output_text':
        this.#catchUp(key, 'text', stringOr(part['text']));
        this.#weigh(key, part['logprobs']);
        if (!this.#cited.has(key)) {
          for (const citation of decodeCitations(part['annotations'])) this.parts.cite(key, citation);
        }
        break;
      case 'refusal':
        this.#catchUp(key, 'refusal', stringOr(part['refusal']));
        break;
      default:
        break;
    }
    this.parts.close(key);
  }

  #text(key: string, event: JsonRecord): void {
    this.parts.open(key, { type: 'text' });
    this.parts.grow(key, stringOr(event['delta']));
    this.#addTokens(key, decodeLogprobs(event['logprobs']));
  }

  /** Adds the tokens of a text that have not come yet. */
  #weigh(key: string, logprobs: unknown): void {
    this.#addTokens(key, decodeLogprobs(logprobs).slice(this.#logprobCounts.get(key) ?? 0));
  }

  #addTokens(key: string, tokens: readonly TokenLogprob[]): void {
    if (tokens.length === 0) return;
    this.#logprobCounts.set(key, (this.#logprobCounts.get(key) ?? 0) + tokens.length);
    this.parts.add({ type: 'logprobs', choice: 0, tokens });
  }

  #cite(key: string, annotation: unknown): void {
    const citation = decodeCitation(annotation);
    this.#cited.add(key);
    if (citation !== undefined) this.parts.cite(key, citation);
  }

  #think(key: string, form: 'full' | 'summary', delta: string): void {
    this.parts.open(key, { type: 'reasoning', form });
    this.parts.grow(key, delta);
  }

  /** Separates a further summary from the one before. */
  #newParagraph(key: string, form: 'full' | 'summary'): void {
    if (this.parts.lengthOf(key) > 0) this.#think(key, form, '\n\n');
  }

  /** Opens a text that is not open yet, and adds what the deltas lacked. */
  #catchUp(key: string, type: 'text' | 'refusal', fullText: string): void {
    if (fullText === '' && !this.parts.has(key)) return;
    this.parts.open(key, { type });
    this.#rest(key, fullText);
  }

  #rest(key: string, fullText: string): void {
    const said = this.parts.lengthOf(key);
    if (fullText.length > said) this.parts.grow(key, fullText.slice(said));
  }
}

/**
 * Some upstreams change the ids of items from event to event, so items are identified by their index. Those without an
 * index, such as llama.cpp, keep their ids.
 */
function itemKey(event: JsonRecord): string {
  const index = event['output_index'];
  if (typeof index === 'number') return String(index);
  return stringOr(event['item_id']) || stringOr(recordOr(event['item'])['id']);
}

function indexOf(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}
