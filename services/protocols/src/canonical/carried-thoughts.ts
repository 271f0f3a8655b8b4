import { isRecord, parseJson, stringOr } from '../json/record.ts';
import { type Opaque, THOUGHTS_PREFIX, unwrapOpaque, wrapOpaque } from './opaque.ts';
import type { OutputPart, ReasoningPart, ToolCallPart } from './part.ts';
import { PROTOCOL_NAMES, type ProtocolName } from './protocol-name.ts';

/*
 * Many clients return the signature of a tool call, but drop reasoning or its signature. Providers need that reasoning
 * while their model calls tools. So for clients of such protocols the first call after it carries it in its signature.
 */

/** Reasoning that came before a tool call in its response. */
export interface CarriedThought {
  readonly form: ReasoningPart['form'];
  readonly text: string;
  readonly opaque?: Opaque;
  /** The number of texts between it and the call before, or the beginning of the response. */
  readonly texts: number;
}

/** What a field for signatures can hold. */
export interface Signature {
  readonly opaque?: Opaque;
  readonly thoughts?: readonly CarriedThought[];
}

/** `wrapOpaque` for a value with reasoning: `tg1.thoughts.<JSON in base64url>`. Undefined if there is neither. */
export function wrapSignature({ opaque, thoughts = [] }: Signature, home: ProtocolName): string | undefined {
  if (thoughts.length === 0) return opaque === undefined ? undefined : wrapOpaque(opaque, home);
  return wrapThoughts(thoughts, opaque);
}

/** Reasoning as a value of a field for signatures; without any, a value that stands for no signature. */
export function wrapThoughts(thoughts: readonly CarriedThought[], opaque?: Opaque): string {
  const json = {
    ...(opaque !== undefined && { of: [opaque.origin, opaque.data] }),
    thoughts: thoughts.map(({ form, text, texts, opaque: own }) => ({
      form,
      ...(text !== '' && { text }),
      ...(texts > 0 && { texts }),
      ...(own !== undefined && { of: [own.origin, own.data] }),
    })),
  };
  return THOUGHTS_PREFIX + Buffer.from(JSON.stringify(json)).toString('base64url');
}

/** Decodes a field of `home`: an own value, one of wrapOpaque, or one with reasoning. What is malformed in it is dropped. */
export function unwrapSignature(text: string, home: ProtocolName): Signature {
  if (text === '') return {};
  if (!text.startsWith(THOUGHTS_PREFIX)) return { opaque: unwrapOpaque(text, home) };
  const value = parseJson(Buffer.from(text.slice(THOUGHTS_PREFIX.length), 'base64url').toString('utf8'));
  if (!isRecord(value)) return {};
  const opaque = readOpaque(value['of']);
  const thoughts = Array.isArray(value['thoughts']) ? value['thoughts'].flatMap((one) => readThought(one) ?? []) : [];
  return { ...(opaque !== undefined && { opaque }), ...(thoughts.length > 0 && { thoughts }) };
}

function readThought(value: unknown): CarriedThought | undefined {
  if (!isRecord(value)) return undefined;
  const { texts } = value;
  const opaque = readOpaque(value['of']);
  const text = stringOr(value['text']).toWellFormed();
  if (text === '' && opaque === undefined) return undefined;
  return {
    form: value['form'] === 'summary' ? 'summary' : 'full',
    text,
    texts: typeof texts === 'number' && Number.isSafeInteger(texts) && texts > 0 ? texts : 0,
    ...(opaque !== undefined && { opaque }),
  };
}

function readOpaque(value: unknown): Opaque | undefined {
  if (!Array.isArray(value)) return undefined;
  const [name, data]: readonly unknown[] = value;
  const origin = PROTOCOL_NAMES.find((known) => known === name);
  return origin === undefined || typeof data !== 'string' || data === '' ? undefined : { origin, data };
}

/** Which reasoning clients of a protocol drop: all, or only the signatures in it. */
export type Dropped = 'reasoning' | 'signatures';

/** Collects the reasoning of a response for its tool calls. */
export class ThoughtCollector {
  readonly #dropped: Dropped;
  #thoughts: CarriedThought[] = [];
  #texts = 0;

  constructor(dropped: Dropped) {
    this.#dropped = dropped;
  }

  /** Reasoning with neither text nor signature is left out. */
  think(form: ReasoningPart['form'], text: string, opaque: Opaque | undefined): void {
    if (text === '' && opaque === undefined) return;
    this.#thoughts.push({ form, text, texts: this.#texts, ...(opaque !== undefined && { opaque }) });
  }

  /** A text, or another output that is not a call. */
  say(): void {
    this.#texts++;
  }

  /** The members of a call with the reasoning it carries: all since the call before. */
  call(): Pick<ToolCallPart, 'thoughts'> {
    const thoughts = this.#thoughts;
    this.#thoughts = [];
    this.#texts = 0;
    const isNeeded = this.#dropped === 'reasoning' ? thoughts.length > 0 : thoughts.some(({ opaque }) => opaque);
    return isNeeded ? { thoughts } : {};
  }
}

/** The output with each call carrying the reasoning before it, for encoding a response. */
export function carryThoughts(parts: readonly OutputPart[], dropped: Dropped): readonly OutputPart[] {
  if (!parts.some((part) => part.type === 'reasoning')) return parts;
  const collector = new ThoughtCollector(dropped);
  return parts.map((part) => {
    if (part.type === 'reasoning') collector.think(part.form, part.text, part.opaque);
    else if (part.type === 'tool-call') return { ...part, ...collector.call() };
    else if (part.type !== 'text' || part.text !== '') collector.say();
    return part;
  });
}
