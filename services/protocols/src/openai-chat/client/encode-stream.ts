import { openaiTier } from '../../canonical/service-tier.ts';
import type { StreamEvent } from '../../canonical/stream.ts';
import type { FinalUsage, ResponseContext, StreamEncoder } from '../../interface/protocol.ts';
import type { JsonRecord } from '../../json/record.ts';
import { encodeUsage } from '../shared/usage.ts';
import { ChoiceEncoder } from './choice-encoder.ts';
import type { CallStyle } from './encode-response.ts';

export interface ChatStreamStyle extends CallStyle {
  /** Whether the client asked for the usage at the end. */
  readonly includeUsage: boolean;
}

const DONE = 'data: [DONE]\n\n';

/** Writes a stream for a client: a chunk for each step, and at its end the usage where it was asked for, and `[DONE]`. */
export class ChatStreamEncoder implements StreamEncoder {
  readonly #style: ChatStreamStyle;
  readonly #choices = new Map<number, ChoiceEncoder>();
  readonly #choiceOfPart = new Map<number, ChoiceEncoder>();
  readonly #context: ResponseContext;
  readonly #fields: JsonRecord;
  /** The beginning of every chunk, with the tier as far as it is known. */
  #head: string;
  readonly #tail: string;

  constructor(context: ResponseContext, style: ChatStreamStyle) {
    const { model, created } = context;
    this.#context = context;
    this.#style = style;
    this.#fields = { id: `chatcmpl-${context.newId()}`, object: 'chat.completion.chunk', created, model };
    this.#head = headOf(this.#fields, undefined);
    this.#tail = style.includeUsage ? '],"usage":null}\n\n' : ']}\n\n';
  }

  push(events: readonly StreamEvent[]): Buffer | undefined {
    for (const event of events) {
      if (event.type === 'usage' && event.details?.serviceTier !== undefined) {
        this.#head = headOf(this.#fields, event.details.serviceTier);
      }
    }
    let text = '';
    for (let i = 0; i < events.length; i++) {
      const event = events[i];
      if (event !== undefined) text += this.#chunks(event);
    }
    return text === '' ? undefined : Buffer.from(text);
  }

  close(final: FinalUsage): Buffer {
    if (!this.#style.includeUsage) return Buffer.from(DONE);
    const head = headOf(this.#fields, final.usage.options?.service_tier);
    return Buffer.from(`${head}],"usage":${encodeUsage(final.usage, final.cost)}}\n\n${DONE}`);
  }

  #chunks(event: StreamEvent): string {
    switch (event.type) {
      case 'start':
      case 'usage':
        return '';
      case 'part-start': {
        const choice = this.#choice(event.choice);
        this.#choiceOfPart.set(event.part, choice);
        return this.#wrap(choice.open(event.head, event.opaque));
      }
      case 'part-delta':
        return this.#wrap(this.#choiceOfPart.get(event.part)?.grow(event.text));
      case 'part-citation':
        return this.#wrap(this.#choiceOfPart.get(event.part)?.cite(event.citation));
      case 'part-end': {
        const choice = this.#choiceOfPart.get(event.part);
        this.#choiceOfPart.delete(event.part);
        return this.#wrap(choice?.close(event.opaque));
      }
      case 'media':
        return this.#wrap(this.#choice(event.choice).media(event.content, this.#context));
      case 'logprobs':
        return this.#wrap(this.#choice(event.choice).logprobs(event.tokens));
      case 'finish':
        return this.#wrap(this.#choice(event.choice).finish(event.finish));
      default:
        return event satisfies never;
    }
  }

  #choice(index: number): ChoiceEncoder {
    const known = this.#choices.get(index);
    if (known !== undefined) return known;
    const choice = new ChoiceEncoder(index, this.#style);
    this.#choices.set(index, choice);
    return choice;
  }

  /** The chunks of these choices, one each. */
  #wrap(choices: readonly string[] | string | undefined): string {
    if (choices === undefined || choices === '') return '';
    if (typeof choices === 'string') return this.#head + choices + this.#tail;
    let text = '';
    for (const choice of choices) text += this.#head + choice + this.#tail;
    return text;
  }
}

function headOf(fields: JsonRecord, tier: string | undefined): string {
  const head = JSON.stringify({ ...fields, service_tier: openaiTier(tier) });
  return `data: ${head.slice(0, -1)},"choices":[`;
}
