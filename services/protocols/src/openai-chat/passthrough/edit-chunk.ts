import type { Usage } from '../../canonical/usage.ts';
import type { UpstreamError } from '../../interface/errors.ts';
import { costDetailEdits, hasUpstreamCost } from '../../interface/upstream-cost.ts';
import { type JsonMember, type JsonObject, memberOf } from '../../json/object.ts';
import { type JsonRecord, parseJson, recordOr, stringOr } from '../../json/record.ts';
import { scanObject } from '../../json/scan.ts';
import { type Edit, splice } from '../../json/splice.ts';
import type { SseEvent } from '../../sse/event.ts';
import { encodeSseEvent, replaceData, replaceStart } from '../../sse/event.ts';
import { type ChunkResult, choiceIndex } from '../shared/chunk.ts';
import { generatedText } from '../shared/generated-text.ts';
import { type ChatReport, encodeUsage, readReport } from '../shared/usage.ts';

/** One event of an upstream's stream, read once. */
export type ChunkEvent =
  /** Part of the response. Some upstreams report usage here, some with every part. */
  | {
      readonly kind: 'delta';
      readonly event: SseEvent;
      /** The generated text of all choices, for counting it. */
      readonly text: string;
      /** Of a choice that has ended; otherwise empty. */
      readonly finishReason: string;
      /** The numbers of the choices that end here. */
      readonly ended: readonly number[];
      /** The highest number of a choice that the event has, -1 when it has none. */
      readonly highestChoice: number;
      readonly report: ChatReport;
      /** Whether there is a `usage` member, null or not. */
      readonly hasUsage: boolean;
      /** Whether its usage says what the upstream charges, which is not for clients. */
      readonly hasCost: boolean;
    }
  /** The extra chunk at the end, with the usage and no choices. */
  | {
      readonly kind: 'usage';
      readonly event: SseEvent;
      readonly report: ChatReport;
    }
  | { readonly kind: 'error'; readonly event: SseEvent; readonly error: UpstreamError }
  /** `[DONE]`. */
  | { readonly kind: 'done'; readonly event: SseEvent }
  /** Nothing to pass on as content, such as a comment. */
  | { readonly kind: 'silent'; readonly event: SseEvent }
  | { readonly kind: 'malformed'; readonly event: SseEvent };

const NULL_USAGE = Buffer.from(',"usage":null');
const OBFUSCATION = Buffer.from(',"obfuscation":"');
const NONE: readonly number[] = [];
const NEVER = Buffer.alloc(0);
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Chunks are scanned as leniently as JSON.parse, since providers may nest deeply and repeat keys. */
const LIMITS = { maxDepth: 256, uniqueKeys: false, within: ['usage'] };

/**
 * What an event is for the client.
 *
 * @param read the event as a chunk
 */
export function readChunkEvent(event: SseEvent, read: ChunkResult): ChunkEvent {
  switch (read.kind) {
    case 'error':
      return { kind: 'error', event, error: read.error };
    case 'done':
    case 'silent':
    case 'malformed':
      return { kind: read.kind, event };
    case 'chunk':
      break;
    default:
      return read satisfies never;
  }
  const { choices } = read;
  const report = readReport(read.chunk, event.data ?? NEVER);
  if (read.isUsageOnly) return { kind: 'usage', event, report };
  let text = '';
  let finishReason = '';
  let ended: number[] | undefined;
  let highestChoice = -1;
  for (let i = 0; i < choices.length; i++) {
    const choice: JsonRecord = recordOr(choices[i]);
    const index = choiceIndex(choice, i);
    if (index > highestChoice) highestChoice = index;
    text += generatedText(recordOr(choice['delta']));
    const reason = stringOr(choice['finish_reason']);
    if (reason === '') continue;
    finishReason ||= reason;
    ended ??= [];
    ended.push(index);
  }
  return {
    kind: 'delta',
    event,
    text,
    finishReason,
    ended: ended ?? NONE,
    highestChoice,
    report,
    hasUsage: read.chunk['usage'] !== undefined,
    hasCost: hasUpstreamCost(read.chunk['usage']),
  };
}

export interface ChunkEditorOptions {
  /** The model's name here. */
  readonly model: string;
  /** Whether the client requested usage. */
  readonly includeUsage: boolean;
}

/**
 * Edits the events of one upstream stream for the client. Only the model's name, the cost in the usage, and usage that
 * the client did not request change.
 */
export class ChunkEditor {
  readonly #options: ChunkEditorOptions;
  /** The beginning of an event's data, up to the end of the model's name: all chunks of a stream share it. */
  #head: Buffer = NEVER;
  /** The replacement for `#head`; the same bytes if the names are equal. */
  #newHead: Buffer = NEVER;

  constructor(options: ChunkEditorOptions) {
    this.#options = options;
  }

  /**
   * The bytes for the client; undefined if the event is not for it.
   *
   * @param cost a JSON number of US dollars, for an event with usage that the client requested
   */
  edit(read: ChunkEvent, cost: string | undefined): Buffer | undefined {
    switch (read.kind) {
      case 'delta':
        return this.#editDelta(read, cost);
      case 'usage':
        return this.#options.includeUsage ? this.#editSlowly(read.event, cost, false) : undefined;
      case 'done':
      case 'silent':
        return read.event.raw;
      case 'error':
      case 'malformed':
        return undefined;
      default:
        return read satisfies never;
    }
  }

  #editDelta(read: Extract<ChunkEvent, { kind: 'delta' }>, cost: string | undefined): Buffer {
    const { event, hasUsage } = read;
    const putCost = cost !== undefined && read.report.isInPlace && this.#options.includeUsage;
    if (!putCost && !read.hasCost) return this.editPlain(event, hasUsage);
    return this.#editSlowly(event, putCost ? cost : undefined, hasUsage && !this.#options.includeUsage);
  }

  /**
   * Edits a chunk whose usage has no cost.
   *
   * @param hasUsage whether it has a `usage` member, null or not
   */
  editPlain(event: SseEvent, hasUsage: boolean): Buffer {
    const data = event.data ?? NEVER;
    const stripUsage = hasUsage && !this.#options.includeUsage;
    const head = this.#head;
    const isKnown = head !== NEVER && data.length > head.length && head.compare(data, 0, head.length) === 0;
    if (!isKnown) return this.#editSlowly(event, undefined, stripUsage);
    if (!stripUsage) return this.#newHead === head ? event.raw : replaceStart(event, head.length, this.#newHead);
    const cut = nullUsageBefore(data, head.length);
    if (cut === -1) return this.#editSlowly(event, undefined, true);
    const after = data.subarray(cut + NULL_USAGE.length);
    return replaceData(event, [this.#newHead, data.subarray(head.length, cut), after]);
  }

  #editSlowly(event: SseEvent, cost: string | undefined, stripUsage: boolean): Buffer {
    const data = event.data ?? NEVER;
    const scanned = scanObject(data, LIMITS);
    if (!scanned.ok) return event.raw;
    const { object } = scanned;
    const name = memberOf(object, 'model');
    const json = JSON.stringify(this.#options.model);
    if (name !== undefined) this.#learn(data, object, name, json);
    const edits: Edit[] = [];
    if (name === undefined || this.#newHead !== this.#head) edits.push({ op: 'set', path: ['model'], json });
    if (stripUsage) edits.push({ op: 'remove', path: ['usage'] });
    else if (memberOf(object, 'usage')?.kind === 'object') {
      const path = ['usage', 'cost'] as const;
      edits.push(
        cost === undefined ? { op: 'remove', path } : { op: 'set', path, json: cost },
        ...costDetailEdits('usage'),
      );
    }
    return edits.length === 0 ? event.raw : replaceData(event, [splice(object, edits)]);
  }

  #learn(data: Buffer, object: JsonObject, name: JsonMember, json: string): void {
    const head = data.subarray(0, name.valueEnd);
    const isAlike = data.toString('utf8', name.valueStart, name.valueEnd) === json;
    const usage = memberOf(object, 'usage');
    // Usage could not be removed from a head that contains it.
    if (usage !== undefined && usage.keyStart < name.valueEnd) {
      this.#head = NEVER;
      this.#newHead = isAlike ? NEVER : Buffer.from(json);
      return;
    }
    this.#head = Buffer.from(head);
    this.#newHead = isAlike ? this.#head : Buffer.concat([data.subarray(0, name.valueStart), Buffer.from(json)]);
  }
}

/**
 * Where `,"usage":null` stands in a chunk in which nothing follows it but the closing brace, or the `obfuscation` that
 * OpenAI adds and then the brace: so close to the last brace it is a member of the outermost object. -1 if absent.
 */
function nullUsageBefore(data: Buffer, from: number): number {
  const at = data.lastIndexOf(NULL_USAGE);
  if (at < from) return -1;
  const last = data.length - 1;
  const after = at + NULL_USAGE.length;
  if (after === last) return at;
  const text = after + OBFUSCATION.length;
  if (text >= last || OBFUSCATION.compare(data, after, text) !== 0) return -1;
  const isPlain = data.indexOf(QUOTE, text) === last - 1 && data.indexOf(BACKSLASH, text) === -1;
  return isPlain ? at : -1;
}

/** Encodes the usage chunk for a client that requested it, if the upstream sent none. `like` is the data of a chunk of the stream. */
export function encodeUsageChunk(like: Buffer, usage: Usage, options: { model: string; cost: string }): Buffer {
  const chunk = recordOr(parseJson(like.toString('utf8')));
  // Only values of the expected types: others may be nested too deeply to write.
  const id = typeof chunk['id'] === 'string' ? chunk['id'] : undefined;
  const created = typeof chunk['created'] === 'number' ? chunk['created'] : undefined;
  const head = { id, object: 'chat.completion.chunk', created, model: options.model };
  const json = `${JSON.stringify({ ...head, choices: [] }).slice(0, -1)},"usage":${encodeUsage(usage, options.cost)}}`;
  return encodeSseEvent(json);
}
