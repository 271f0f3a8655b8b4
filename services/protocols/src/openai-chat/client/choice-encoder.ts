import { ThoughtCollector } from '../../canonical/carried-thoughts.ts';
import type { Opaque } from '../../canonical/opaque.ts';
import type { AudioPart, Citation, ImagePart } from '../../canonical/part.ts';
import type { Finish, TokenLogprob } from '../../canonical/response.ts';
import type { PartHead } from '../../canonical/stream.ts';
import type { ResponseContext } from '../../interface/protocol.ts';
import type { JsonRecord } from '../../json/record.ts';
import { encodeCitations } from '../shared/citations.ts';
import { encodeFinishReason } from '../shared/finish-reason.ts';
import { encodeLogprobs } from '../shared/logprobs.ts';
import { encodeImage } from '../shared/media.ts';
import {
  encodeCallSignature,
  encodeReasoning,
  encodeReasoningPiece,
  encodeTextSignature,
} from '../shared/reasoning.ts';

const NO_HEAD: PartHead = { type: 'text' };

/** Writes one choice of a stream's chunks: the elements of `choices`, as JSON texts. */
export class ChoiceEncoder {
  /** Whether a call is sent as `function_call`. */
  readonly #single: boolean;
  readonly #start: string;
  #hasRole = false;
  #head: PartHead = NO_HEAD;
  #calls = 0;
  #hasInput = false;
  /** Whether the open call has sent a signature: SDKs would join a second one to it. */
  #hasSignature = false;
  #hasRefusal = false;
  readonly #thoughts = new ThoughtCollector('signatures');
  /** The text of the open part, or its reasoning. */
  #text = '';
  #details = 0;
  /** Characters of text sent before the open part. */
  #before = 0;

  constructor(index: number, { single }: { readonly single: boolean }) {
    this.#single = single;
    this.#start = `{"index":${index},"delta":`;
  }

  /** Opens a part. The first chunk has the role, as at OpenAI: with an empty content if text follows. */
  open(head: PartHead, opaque: Opaque | undefined): string[] {
    if (this.#head.type === 'text') this.#before += this.#text.length;
    this.#head = head;
    this.#text = '';
    const chunks = this.#role(head.type === 'text' ? '""' : 'null');
    if (head.type === 'refusal') this.#hasRefusal = true;
    if (head.type === 'tool-call') {
      this.#hasInput = false;
      const call = this.#callStart(head, opaque);
      if (call !== '') chunks.push(this.#delta(call));
    }
    return chunks;
  }

  grow(text: string): string {
    if (text === '') return '';
    const json = JSON.stringify(text);
    const head = this.#head;
    switch (head.type) {
      case 'text':
        this.#text += text;
        return this.#delta(`{"content":${json}}`);
      case 'refusal':
        return this.#delta(`{"refusal":${json}}`);
      case 'reasoning': {
        this.#text += text;
        const key = head.form === 'summary' ? 'summary' : 'text';
        const detail = `{"type":"reasoning.${key}","${key}":${json},"index":${this.#details}}`;
        return this.#delta(`{"reasoning_content":${json},"reasoning_details":[${detail}]}`);
      }
      case 'tool-call':
        this.#hasInput = true;
        return this.#input(json);
      default:
        return head satisfies never;
    }
  }

  cite(citation: Citation): string {
    const annotations = encodeCitations([citation], this.#before);
    return annotations.length === 0 ? '' : this.#delta(JSON.stringify({ annotations }));
  }

  close(opaque: Opaque | undefined): string[] {
    const head = this.#head;
    switch (head.type) {
      case 'text':
        if (this.#text !== '') this.#thoughts.say();
        return opaque === undefined ? [] : [this.#detail(encodeTextSignature(opaque, this.#text, this.#details++))];
      case 'refusal':
        this.#thoughts.say();
        return [];
      case 'reasoning': {
        const index = this.#details++;
        this.#thoughts.think(head.form, this.#text, opaque);
        if (opaque === undefined) return [];
        const write = this.#text === '' ? encodeReasoning : encodeReasoningPiece;
        return [this.#detail(write(head.form, '', opaque, index))];
      }
      case 'tool-call':
        return this.#closeCall(head, opaque);
      default:
        return head satisfies never;
    }
  }

  media(content: ImagePart | AudioPart, context: ResponseContext): string[] {
    const delta: JsonRecord =
      content.type === 'image'
        ? { images: [encodeImage(content)] }
        : {
            audio: { id: `audio_${context.newId()}`, data: content.data, expires_at: context.created, transcript: '' },
          };
    return [...this.#role('null'), this.#delta(JSON.stringify(delta))];
  }

  logprobs(tokens: readonly TokenLogprob[]): string {
    return `${this.#start}{},"logprobs":${JSON.stringify(encodeLogprobs(tokens))},"finish_reason":null}`;
  }

  finish(finish: Finish): string[] {
    const reason = encodeFinishReason(finish, { refusal: this.#hasRefusal });
    const said = this.#single && reason === 'tool_calls' ? 'function_call' : reason;
    return [...this.#role('""'), `${this.#start}{},"logprobs":null,"finish_reason":"${said}"}`];
  }

  #role(content: string): string[] {
    if (this.#hasRole) return [];
    this.#hasRole = true;
    return [this.#delta(`{"role":"assistant","content":${content},"refusal":null}`)];
  }

  #delta(delta: string): string {
    return `${this.#start}${delta},"logprobs":null,"finish_reason":null}`;
  }

  #detail(detail: JsonRecord): string {
    return this.#delta(`{"reasoning_details":[${JSON.stringify(detail)}]}`);
  }

  /** Clients read what a call carries only at its beginning. */
  #callStart({ id, name, kind }: Extract<PartHead, { type: 'tool-call' }>, opaque: Opaque | undefined): string {
    const index = this.#calls++;
    const carried = { ...this.#thoughts.call(), ...(opaque !== undefined && { opaque }) };
    const signature = JSON.stringify(encodeCallSignature(carried)).slice(1, -1);
    this.#hasSignature = signature !== '';
    if (this.#single) return index > 0 ? '' : `{"function_call":{"name":${JSON.stringify(name)},"arguments":""}}`;
    const called =
      kind === 'custom'
        ? `"type":"custom","custom":{"name":${JSON.stringify(name)},"input":""}`
        : `"type":"function","function":{"name":${JSON.stringify(name)},"arguments":""}`;
    const extra = signature === '' ? '' : `,${signature}`;
    return `{"tool_calls":[{"index":${index},"id":${JSON.stringify(id)},${called}${extra}}]}`;
  }

  /** More of the open call's input. A client that accepts one call gets only the first. */
  #input(json: string): string {
    if (this.#single) return this.#calls > 1 ? '' : this.#delta(`{"function_call":{"arguments":${json}}}`);
    const isCustom = this.#head.type === 'tool-call' && this.#head.kind === 'custom';
    const piece = isCustom ? `"custom":{"input":${json}}` : `"function":{"arguments":${json}}`;
    return this.#delta(`{"tool_calls":[{"index":${this.#calls - 1},${piece}}]}`);
  }

  /** Clients parse the arguments of every function, even of one without parameters. */
  #closeCall({ kind }: Extract<PartHead, { type: 'tool-call' }>, opaque: Opaque | undefined): string[] {
    const chunks: string[] = [];
    if (!this.#hasInput && kind === 'function') {
      const input = this.#input('"{}"');
      if (input !== '') chunks.push(input);
    }
    if (opaque !== undefined && !this.#single && !this.#hasSignature) {
      const signature = JSON.stringify(encodeCallSignature({ opaque })).slice(1, -1);
      // OpenAI's SDK for Python requires the function or custom tool in every piece of a call.
      const called = kind === 'custom' ? '"custom":{"input":""}' : '"function":{"arguments":""}';
      chunks.push(this.#delta(`{"tool_calls":[{"index":${this.#calls - 1},${called},${signature}}]}`));
    }
    return chunks;
  }
}
