import { append, isTurnOver, type Stages } from '../lists/stages.ts';
import type { CarriedThought } from './carried-thoughts.ts';
import type { Message } from './message.ts';
import { normalForm } from './normal-form.ts';
import type { Opaque } from './opaque.ts';
import type { OutputPart, ReasoningPart, TextPart, ToolCallPart } from './part.ts';
import { textFingerprint } from './text-fingerprint.ts';

/**
 * The turns of a client's request in normal form, in which opaque values are on the parts they belong to, and reasoning
 * that calls carried is before them. Values whose part is missing are dropped.
 */
export function* restoredTurns(messages: readonly Message[]): Stages<Message[]> {
  const turns = yield* normalForm(messages);
  if (!turns.some(isAffected)) return turns;
  const restored: Message[] = [];
  for (const turn of turns) {
    if (isTurnOver(1 + turn.parts.length)) yield;
    restored.push(turn.role === 'assistant' ? { ...turn, parts: restoreParts(turn.parts) } : turn);
  }
  return yield* normalForm(restored);
}

function isAffected(message: Message): boolean {
  return message.role === 'assistant' && message.parts.some((part) => isCarrier(part) || hasThoughts(part));
}

/** The same for the parts of one turn. */
export function restoreParts(parts: readonly OutputPart[]): readonly OutputPart[] {
  const complete = parts.some(hasThoughts) ? withThoughts(parts) : parts;
  return complete.some(isCarrier) ? withOpaques(complete) : complete;
}

type Carrier = ReasoningPart & { readonly opaque: Opaque & { readonly of: NonNullable<Opaque['of']> } };

function isCarrier(part: OutputPart): part is Carrier {
  return part.type === 'reasoning' && part.opaque?.of !== undefined;
}

function hasThoughts(part: OutputPart): part is ToolCallPart & { readonly thoughts: readonly CarriedThought[] } {
  return part.type === 'tool-call' && part.thoughts !== undefined;
}

/** A call carries all reasoning since the call before, so what the client returned of that is replaced. */
function withThoughts(parts: readonly OutputPart[]): OutputPart[] {
  const complete: OutputPart[] = [];
  let since: OutputPart[] = [];
  for (const part of parts) {
    if (part.type !== 'tool-call') {
      since.push(part);
      continue;
    }
    const { thoughts, ...call } = part;
    append(complete, thoughts === undefined ? since : withThoughtsBetween(since, thoughts, call.at));
    complete.push(call);
    since = [];
  }
  append(complete, since);
  return complete;
}

function withThoughtsBetween(
  parts: readonly OutputPart[],
  thoughts: readonly CarriedThought[],
  at: string | undefined,
): OutputPart[] {
  const placed = at === undefined ? {} : { at };
  const complete: OutputPart[] = [];
  let next = 0;
  let texts = 0;
  const think = (limit: number) => {
    for (let thought = thoughts[next]; thought !== undefined && thought.texts <= limit; thought = thoughts[++next]) {
      const { texts: _place, ...reasoning } = thought;
      complete.push({ type: 'reasoning', ...reasoning, ...placed });
    }
  };
  for (const part of parts) {
    if (part.type === 'reasoning' && !isCarrier(part)) continue;
    if (part.type !== 'reasoning') think(texts++);
    complete.push(part);
  }
  think(Number.POSITIVE_INFINITY);
  return complete;
}

/** Moves opaque values from carriers to their parts. Reasoning with text stays, without the value. */
function withOpaques(parts: readonly OutputPart[]): OutputPart[] {
  const restored: OutputPart[] = [];
  const carriers: Opaque[] = [];
  for (const part of parts) {
    if (!isCarrier(part)) {
      restored.push(part);
      continue;
    }
    const { opaque, ...reasoning } = part;
    if (reasoning.text !== '') restored.push(reasoning);
    if (opaque.of === 'previous') attach(restored, restored.length - 1, opaque);
    else carriers.push(opaque);
  }
  const places = new Places(restored);
  for (const opaque of carriers) attach(restored, places.of(opaque), opaque);
  return restored;
}

function attach(parts: OutputPart[], index: number, { origin, data }: Opaque): void {
  const part = parts[index];
  if (part === undefined || (part.type !== 'text' && part.type !== 'tool-call') || part.opaque !== undefined) return;
  parts[index] = { ...part, opaque: { origin, data } };
}

const NOWHERE = -1;

/** Finds the parts that values name. */
class Places {
  readonly #calls = new Map<string, number>();
  readonly #texts: (readonly [number, TextPart])[] = [];
  #byFingerprint: Map<string, number> | undefined;

  constructor(parts: readonly OutputPart[]) {
    for (const [index, part] of parts.entries()) {
      if (part.type === 'text') this.#texts.push([index, part]);
      else if (part.type === 'tool-call' && !this.#calls.has(part.id)) this.#calls.set(part.id, index);
    }
  }

  of({ of }: Opaque): number {
    if (of === undefined || of === 'previous') return NOWHERE;
    if ('call' in of) return this.#calls.get(of.call) ?? NOWHERE;
    this.#byFingerprint ??= new Map(this.#texts.map(([index, { text }]) => [textFingerprint(text), index]));
    const found = this.#byFingerprint.get(of.text);
    if (found !== undefined) return found;
    // A client may have joined the texts of a response; then the value goes to the result.
    const [only, second] = this.#texts;
    return only !== undefined && second === undefined ? only[0] : NOWHERE;
  }
}
