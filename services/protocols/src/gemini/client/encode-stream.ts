import { ThoughtCollector } from '../../canonical/carried-thoughts.ts';
import type { Opaque } from '../../canonical/opaque.ts';
import type { Citation, OutputPart } from '../../canonical/part.ts';
import type { Finish, TokenLogprob } from '../../canonical/response.ts';
import type { PartHead, StreamEvent } from '../../canonical/stream.ts';
import type { FinalUsage, ResponseContext, StreamEncoder } from '../../interface/protocol.ts';
import type { JsonRecord } from '../../json/record.ts';
import { append } from '../../lists/stages.ts';
import type { ChunkFrame } from '../shared/chunk-frame.ts';
import { encodeCitations } from '../shared/citations.ts';
import { encodeOutputPart } from '../shared/encode-contents.ts';
import { encodeFinishReason } from '../shared/finish-reason.ts';
import { encodeLogprobs } from '../shared/logprobs.ts';
import { signatureMember } from '../shared/signature.ts';
import { encodeUsage } from '../shared/usage.ts';
import { responseId } from './encode-response.ts';

interface OpenPart {
  readonly choice: number;
  readonly head: PartHead;
  /** Of a call, whose input is sent in one piece. */
  readonly opaque: Opaque | undefined;
  /** Its text or input so far. */
  text: string;
}

/** The state of a choice besides its parts. */
interface ChoiceState {
  finish: Finish | undefined;
  /** Bytes of its closed texts. */
  textBytes: number;
  readonly citations: JsonRecord[];
  readonly thoughts: ThoughtCollector;
}

/** The contents of one chunk for a choice. */
interface Candidate {
  readonly parts: JsonRecord[];
  readonly logprobs: TokenLogprob[];
}

/**
 * Encodes a stream. Each batch of events makes one chunk, which is a response of its own; the finish reasons are in the
 * last one, with the usage.
 */
export class GeminiStreamEncoder implements StreamEncoder {
  readonly #frame: ChunkFrame;
  readonly #open = new Map<number, OpenPart>();
  readonly #choices = new Map<number, ChoiceState>();
  /** The members that all chunks end with, and the brace. */
  readonly #tail: string;

  constructor(context: ResponseContext, frame: ChunkFrame) {
    this.#frame = frame;
    this.#tail = JSON.stringify({ modelVersion: context.model, responseId: responseId(context) }).slice(1);
  }

  push(events: readonly StreamEvent[]): Buffer | undefined {
    const candidates = new Map<number, Candidate>();
    for (const event of events) this.#take(event, candidates);
    if (candidates.size === 0) return undefined;
    const list = [...candidates].map(([index, { parts, logprobs }]) => ({
      content: { parts: parts.length === 0 ? [{ text: '' }] : parts, role: 'model' },
      index,
      ...(logprobs.length > 0 && encodeLogprobs(logprobs)),
    }));
    return this.#frame.text(`{"candidates":${JSON.stringify(list)},${this.#tail}`);
  }

  close(final: FinalUsage): Buffer {
    const numbers = [...this.#choices.keys()].sort((a, b) => a - b);
    const candidates = numbers.map((index) => {
      const { finish, citations } = this.#choice(index);
      return {
        // Google's SDK keeps a turn for the next request only if each of its contents has a part.
        content: { parts: [{ text: '' }], role: 'model' },
        finishReason: encodeFinishReason(finish?.reason ?? 'other'),
        index,
        ...(citations.length > 0 && { citationMetadata: { citationSources: citations } }),
      };
    });
    const usage = encodeUsage(final.usage, final.cost);
    const last = `{"candidates":${JSON.stringify(candidates)},"usageMetadata":${usage},${this.#tail}`;
    return Buffer.concat([this.#frame.text(last), this.#frame.end()]);
  }

  #take(event: StreamEvent, candidates: Map<number, Candidate>): void {
    switch (event.type) {
      case 'part-start':
        this.#choice(event.choice);
        this.#open.set(event.part, { choice: event.choice, head: event.head, opaque: event.opaque, text: '' });
        break;
      case 'part-delta': {
        const open = this.#open.get(event.part);
        if (open === undefined) break;
        open.text += event.text;
        if (open.head.type !== 'tool-call') say(candidateAt(candidates, open.choice), open.head, event.text);
        break;
      }
      case 'part-citation': {
        const open = this.#open.get(event.part);
        if (open !== undefined) this.#cite(open, event.citation);
        break;
      }
      case 'part-end': {
        const open = this.#open.get(event.part);
        this.#open.delete(event.part);
        if (open !== undefined) this.#end(open, event.opaque ?? open.opaque, candidates);
        break;
      }
      case 'media':
        this.#choice(event.choice).thoughts.say();
        candidateAt(candidates, event.choice).parts.push(encodeOutputPart(event.content));
        break;
      case 'logprobs':
        append(candidateAt(candidates, event.choice).logprobs, event.tokens);
        break;
      case 'finish':
        this.#choice(event.choice).finish = event.finish;
        break;
      case 'start':
      case 'usage':
        break;
      default:
        event satisfies never;
    }
  }

  #end(open: OpenPart, opaque: Opaque | undefined, candidates: Map<number, Candidate>): void {
    const { head, choice, text } = open;
    const state = this.#choice(choice);
    if (head.type === 'text') state.textBytes += Buffer.byteLength(text);
    const signature = opaque === undefined ? {} : { opaque };
    if (head.type === 'tool-call') {
      const call: OutputPart = { ...head, input: text, ...signature, ...state.thoughts.call() };
      candidateAt(candidates, choice).parts.push(encodeOutputPart(call));
      return;
    }
    if (head.type === 'reasoning') state.thoughts.think(head.form, text, opaque);
    else if (text !== '') state.thoughts.say();
    if (opaque === undefined) return;
    const thought = head.type === 'reasoning' ? { thought: true } : {};
    candidateAt(candidates, choice).parts.push({ ...thought, text: '', ...signatureMember(signature) });
  }

  #cite(open: OpenPart, citation: Citation): void {
    const state = this.#choice(open.choice);
    state.citations.push(...encodeCitations([citation], open.text, state.textBytes));
  }

  #choice(index: number): ChoiceState {
    const known = this.#choices.get(index);
    if (known !== undefined) return known;
    const state: ChoiceState = {
      finish: undefined,
      textBytes: 0,
      citations: [],
      thoughts: new ThoughtCollector('reasoning'),
    };
    this.#choices.set(index, state);
    return state;
  }
}

function candidateAt(candidates: Map<number, Candidate>, index: number): Candidate {
  const known = candidates.get(index);
  if (known !== undefined) return known;
  const candidate: Candidate = { parts: [], logprobs: [] };
  candidates.set(index, candidate);
  return candidate;
}

/** Adds to the part before it, if that is of the same kind and has no signature. */
function say(candidate: Candidate, head: PartHead, text: string): void {
  const last = candidate.parts.at(-1);
  const isThought = head.type === 'reasoning';
  const before = last?.['text'];
  if (
    last !== undefined &&
    typeof before === 'string' &&
    last['thoughtSignature'] === undefined &&
    (last['thought'] === true) === isThought
  ) {
    candidate.parts[candidate.parts.length - 1] = { ...last, text: before + text };
    return;
  }
  candidate.parts.push(isThought ? { thought: true, text } : { text });
}
