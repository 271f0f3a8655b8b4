import { append } from '../lists/stages.ts';
import type { OutputPart, TextPart } from './part.ts';
import type { CanonicalResponse, Choice, Finish, TokenLogprob } from './response.ts';
import { type Scanned, StopScanner, StopWords } from './stop-scanner.ts';
import type { PartHead, StreamEvent } from './stream.ts';

/*
 * Stop words that a provider does not take are kept to here: the client gets the text of each choice up to the first one.
 * The usage stays as reported. Thoughts, refusals and tool calls are not searched, and a stop word lies within one text.
 */

/** More tokens than any stop word has. A provider that sends more has tokens that do not match its text. */
const MAX_HELD_TOKENS = 4_096;

/** The stop words to keep to. */
export interface KeptStops {
  readonly words: readonly string[];
  /** The choices that the client asked for. */
  readonly choices: number;
}

/** Ends each choice at its first stop word. Returns the same response if nothing changes. */
export function withStops(response: CanonicalResponse, { words }: KeptStops): CanonicalResponse {
  const automaton = new StopWords(words);
  const choices = response.choices.map((choice) => withStop(choice, automaton));
  return choices.every((choice, i) => choice === response.choices[i]) ? response : { ...response, choices };
}

function withStop(choice: Choice, words: StopWords): Choice {
  for (const [index, part] of choice.parts.entries()) {
    if (part.type !== 'text') continue;
    const { text, stop } = scanAll(part.text, words);
    if (stop === undefined) continue;
    const before = choice.parts.slice(0, index);
    const parts = text === '' ? before : [...before, shortened(part, text)];
    const { logprobs, ...others } = choice;
    const finish = stopFinish(stop, before.some(isCall));
    if (logprobs === undefined) return { ...others, parts, finish };
    return { ...others, parts, finish, logprobs: tokensWithin(logprobs, visibleBytes(parts)) };
  }
  return choice;
}

function scanAll(text: string, words: StopWords) {
  const scanner = new StopScanner(words);
  const scanned = scanner.push(text);
  if (scanned.stop !== undefined) return scanned;
  const { text: rest, stop } = scanner.end();
  return { text: scanned.text + rest, stop };
}

/** A signature belongs to the whole text. */
function shortened({ text: _whole, opaque: _signature, citations, ...part }: TextPart, text: string): TextPart {
  const kept = citations?.filter(({ textRange }) => textRange === undefined || textRange.end <= text.length) ?? [];
  return { ...part, text, ...(kept.length > 0 && { citations: kept }) };
}

function stopFinish(stopSequence: string, hasCalls: boolean): Finish {
  return { reason: hasCalls ? 'tool-calls' : 'stop', raw: '', stopSequence };
}

function isCall({ type }: OutputPart | PartHead): boolean {
  return type === 'tool-call';
}

function visibleBytes(parts: readonly OutputPart[]): number {
  return parts.reduce((bytes, part) => bytes + (part.type === 'text' ? Buffer.byteLength(part.text) : 0), 0);
}

/** The tokens of the first bytes of a text. */
function tokensWithin(tokens: readonly TokenLogprob[], bytes: number): readonly TokenLogprob[] {
  let end = 0;
  const beyond = tokens.findIndex((token) => {
    end += bytesOf(token);
    return end > bytes;
  });
  return beyond === -1 ? tokens : tokens.slice(0, beyond);
}

/** A token can be a part of a character. */
function bytesOf({ token, bytes }: TokenLogprob): number {
  return bytes?.length ?? Buffer.byteLength(token);
}

/** withStops for a stream. */
export class StopFilter {
  readonly #words: StopWords;
  readonly #choices = new Map<number, ChoiceFilter>();
  /** Open parts, with their choices. */
  readonly #parts = new Map<number, ChoiceFilter>();
  #unfinished: number;
  #isStopped = false;

  constructor({ words, choices }: KeptStops) {
    this.#words = new StopWords(words);
    this.#unfinished = choices;
  }

  /** Whether all choices have ended, and one of them at a stop word: nothing follows but usage. */
  get isStopped(): boolean {
    return this.#isStopped && this.#unfinished <= 0;
  }

  push(events: readonly StreamEvent[]): readonly StreamEvent[] {
    const out: StreamEvent[] = [];
    for (const event of events) this.#take(event, out);
    // Only now, since the log probabilities of a text come after it.
    for (const choice of this.#choices.values()) {
      if (!choice.close(out)) continue;
      this.#isStopped = true;
      this.#unfinished--;
    }
    return out;
  }

  #take(event: StreamEvent, out: StreamEvent[]): void {
    switch (event.type) {
      case 'part-start': {
        const choice = this.#choice(event.choice);
        this.#parts.set(event.part, choice);
        choice.push(event, out);
        break;
      }
      case 'part-delta':
      case 'part-citation':
        this.#parts.get(event.part)?.push(event, out);
        break;
      case 'part-end':
        this.#parts.get(event.part)?.push(event, out);
        this.#parts.delete(event.part);
        break;
      case 'media':
      case 'logprobs':
        this.#choice(event.choice).push(event, out);
        break;
      case 'finish':
        if (this.#choice(event.choice).push(event, out)) this.#unfinished--;
        break;
      case 'start':
      case 'usage':
        out.push(event);
        break;
      default:
        event satisfies never;
    }
  }

  #choice(index: number): ChoiceFilter {
    let choice = this.#choices.get(index);
    if (choice === undefined) {
      choice = new ChoiceFilter(index, this.#words);
      this.#choices.set(index, choice);
    }
    return choice;
  }
}

/** The text that is being searched. */
interface OpenText {
  readonly part: number;
  readonly scanner: StopScanner;
  /** Held back until the text has a character, since a text that begins with a stop word is left out. */
  start: StreamEvent | undefined;
  /** Bytes that were passed on, without those of passed log probabilities. */
  bytes: number;
  /** Log probabilities of what is held back. */
  tokens: TokenLogprob[];
}

/** Ends one choice at its first stop word. */
class ChoiceFilter {
  readonly #index: number;
  readonly #words: StopWords;
  #text: OpenText | undefined;
  #hasCalls = false;
  #stop: string | undefined;
  #isClosed = false;

  constructor(index: number, words: StopWords) {
    this.#index = index;
    this.#words = words;
  }

  /** @returns whether the event was passed on, at once or in a part that is held back */
  push(event: StreamEvent, out: StreamEvent[]): boolean {
    if (this.#stop !== undefined) {
      if (event.type === 'logprobs' && this.#text !== undefined) this.#passTokens(this.#text, event.tokens, out);
      return false;
    }
    if (event.type === 'part-start' && event.head.type === 'text') {
      const scanner = new StopScanner(this.#words);
      this.#text = { part: event.part, scanner, start: event, bytes: 0, tokens: [] };
      return true;
    }
    if (event.type === 'part-start') this.#hasCalls ||= isCall(event.head);
    return this.#text === undefined ? out.push(event) > 0 : this.#pushToText(this.#text, event, out);
  }

  #pushToText(text: OpenText, event: StreamEvent, out: StreamEvent[]): boolean {
    switch (event.type) {
      case 'part-delta':
        this.#pass(text, text.scanner.push(event.text), out);
        return true;
      case 'logprobs':
        this.#passTokens(text, event.tokens, out);
        return true;
      case 'part-end': {
        this.#pass(text, text.scanner.end(), out);
        if (this.#stop !== undefined) return false;
        this.#begin(text, out);
        if (text.tokens.length > 0) out.push({ type: 'logprobs', choice: this.#index, tokens: text.tokens });
        this.#text = undefined;
        break;
      }
      default:
        this.#begin(text, out);
    }
    out.push(event);
    return true;
  }

  #pass(text: OpenText, { text: passed, stop }: Scanned, out: StreamEvent[]): void {
    this.#stop = stop;
    if (passed === '') return;
    this.#begin(text, out);
    out.push({ type: 'part-delta', part: text.part, text: passed });
    text.bytes += Buffer.byteLength(passed);
    if (text.tokens.length > 0) this.#passTokens(text, [], out);
  }

  /** Passes on the log probabilities of the text that was passed on. */
  #passTokens(text: OpenText, more: readonly TokenLogprob[], out: StreamEvent[]): void {
    append(text.tokens, more);
    const isBeyondHeld = text.tokens.length > MAX_HELD_TOKENS;
    const tokens = tokensWithin(text.tokens, isBeyondHeld ? Number.POSITIVE_INFINITY : text.bytes);
    if (tokens.length === 0) return;
    text.tokens = text.tokens.slice(tokens.length);
    for (const token of tokens) text.bytes -= bytesOf(token);
    out.push({ type: 'logprobs', choice: this.#index, tokens });
  }

  #begin(text: OpenText, out: StreamEvent[]): void {
    if (text.start === undefined) return;
    out.push(text.start);
    text.start = undefined;
  }

  /** Closes a choice that has come to a stop word; returns whether it did. */
  close(out: StreamEvent[]): boolean {
    if (this.#stop === undefined || this.#isClosed) return false;
    this.#isClosed = true;
    if (this.#text !== undefined && this.#text.start === undefined)
      out.push({ type: 'part-end', part: this.#text.part });
    out.push({ type: 'finish', choice: this.#index, finish: stopFinish(this.#stop, this.#hasCalls) });
    this.#text = undefined;
    return true;
  }
}
