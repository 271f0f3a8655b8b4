import { append } from '../lists/stages.ts';
import type { Opaque } from './opaque.ts';
import type { Citation, OutputPart } from './part.ts';
import type { CanonicalResponse, Choice, Finish, TokenLogprob } from './response.ts';
import type { PartHead, StreamEvent } from './stream.ts';
import { laterUsage, type Usage } from './usage.ts';
import { laterDetails, type UsageDetails } from './usage-report.ts';

/** The response that a stream amounts to. */
export function collectResponse(events: Iterable<StreamEvent>): CanonicalResponse {
  const collector = new ResponseCollector();
  for (const event of events) collector.push(event);
  return collector.response();
}

interface OpenPart {
  readonly head: PartHead;
  text: string;
  citations: Citation[] | undefined;
  opaque: Opaque | undefined;
}

interface OpenChoice {
  readonly parts: (OpenPart | OutputPart)[];
  finish: Finish | undefined;
  logprobs: TokenLogprob[] | undefined;
}

/** The finish of a choice that has none (yet). */
const UNFINISHED: Finish = { reason: 'other', raw: '' };

/** Collects a stream as it comes, for encoders whose protocol repeats the complete response at its end. */
export class ResponseCollector {
  #id = '';
  #created: number | undefined;
  #usage: Usage | undefined;
  #details: UsageDetails | undefined;
  readonly #choices = new Map<number, OpenChoice>();
  readonly #parts = new Map<number, OpenPart>();

  push(event: StreamEvent): void {
    switch (event.type) {
      case 'start':
        this.#id = event.id;
        this.#created = event.created;
        break;
      case 'part-start': {
        const part = { head: event.head, text: '', citations: undefined, opaque: event.opaque };
        this.#parts.set(event.part, part);
        this.#choice(event.choice).parts.push(part);
        break;
      }
      case 'part-delta': {
        const part = this.#parts.get(event.part);
        if (part !== undefined) part.text += event.text;
        break;
      }
      case 'part-citation': {
        const part = this.#parts.get(event.part);
        if (part === undefined) break;
        part.citations ??= [];
        part.citations.push(event.citation);
        break;
      }
      case 'part-end': {
        const part = this.#parts.get(event.part);
        if (part !== undefined) part.opaque ??= event.opaque;
        break;
      }
      case 'media':
        this.#choice(event.choice).parts.push(event.content);
        break;
      case 'logprobs': {
        const choice = this.#choice(event.choice);
        choice.logprobs ??= [];
        append(choice.logprobs, event.tokens);
        break;
      }
      case 'finish':
        this.#choice(event.choice).finish = event.finish;
        break;
      case 'usage':
        if (event.usage !== undefined) this.#usage = laterUsage(this.#usage, event.usage);
        this.#details = laterDetails(this.#details, event.details);
        break;
      default:
        event satisfies never;
    }
  }

  /** What there is of the response by now. */
  response(): CanonicalResponse {
    const numbers = [...this.#choices.keys()].sort((a, b) => a - b);
    const choices = numbers.map((number) => closeChoice(this.#choice(number)));
    return {
      id: this.#id,
      created: this.#created,
      choices: choices.length === 0 ? [{ parts: [], finish: UNFINISHED }] : choices,
      usage: this.#usage,
      ...(this.#details !== undefined && { usageDetails: this.#details }),
    };
  }

  #choice(number: number): OpenChoice {
    const known = this.#choices.get(number);
    if (known !== undefined) return known;
    const choice: OpenChoice = { parts: [], finish: undefined, logprobs: undefined };
    this.#choices.set(number, choice);
    return choice;
  }
}

function closeChoice(choice: OpenChoice): Choice {
  const parts = choice.parts.map((part) => ('head' in part ? closePart(part) : part));
  const finish = choice.finish ?? UNFINISHED;
  return choice.logprobs === undefined ? { parts, finish } : { parts, finish, logprobs: choice.logprobs };
}

function closePart({ head, text, citations, opaque }: OpenPart): OutputPart {
  const withOpaque = opaque === undefined ? {} : { opaque };
  switch (head.type) {
    case 'text':
      return { type: 'text', text, ...(citations !== undefined && { citations }), ...withOpaque };
    case 'refusal':
      return { type: 'refusal', text };
    case 'reasoning':
      return { type: 'reasoning', form: head.form, text, ...withOpaque };
    case 'tool-call':
      return { type: 'tool-call', id: head.id, name: head.name, kind: head.kind, input: text, ...withOpaque };
    default:
      return head satisfies never;
  }
}
