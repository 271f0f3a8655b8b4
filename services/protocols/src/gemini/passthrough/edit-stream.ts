import { describeError } from '../../interface/errors.ts';
import type { FinalUsage, ResponseContext, StreamStep, StreamTransformer } from '../../interface/protocol.ts';
import { isRecord, type JsonRecord, recordOr } from '../../json/record.ts';
import { scanObject } from '../../json/scan.ts';
import { splice } from '../../json/splice.ts';
import type { SseEvent } from '../../sse/event.ts';
import { EventJson } from '../../sse/event-json.ts';
import { type ChunkFacts, isDone, readChunk, VARYING } from '../shared/chunk.ts';
import type { ChunkFrame } from '../shared/chunk-frame.ts';
import { Grounding, NO_WEB_TOOLS } from '../shared/grounding.ts';
import { encodeUsage, withTrafficType } from '../shared/usage.ts';
import { ModelEditor } from './model-edit.ts';

const LIMITS = { maxDepth: 256, uniqueKeys: false, within: ['usageMetadata'] };
const EMPTY_CHUNK: readonly Buffer[] = [Buffer.from('{}')];
const SILENT: StreamStep = { kind: 'silent', bytes: undefined };
const END: StreamStep = { kind: 'end', bytes: undefined, text: '', finishReason: '', usage: undefined };

/**
 * Passes on a stream. Only the model's name and the cost change. Once all candidates have ended, the remaining chunks are
 * kept back until the charge is known.
 */
export class GeminiStreamTransformer implements StreamTransformer {
  readonly #frame: ChunkFrame;
  readonly #editor: ModelEditor;
  readonly #json = new EventJson(VARYING);
  readonly #seen = new Set<number>();
  readonly #ended = new Set<number>();
  #isBlocked = false;
  #keptBack: (readonly Buffer[])[] = [];
  #hasUsage = false;
  #trafficType: unknown;
  readonly #grounding: Grounding;

  constructor(context: ResponseContext, frame: ChunkFrame, declared = NO_WEB_TOOLS) {
    this.#grounding = new Grounding(declared);
    this.#frame = frame;
    this.#editor = new ModelEditor(context.model);
  }

  push(event: SseEvent): StreamStep {
    const { data } = event;
    if (data === undefined || data.length === 0 || isDone(data)) return SILENT;
    const value = this.#json.parse(data);
    if (!isRecord(value)) return malformed('a stream event is not an object');
    if (isRecord(value['error'])) return { kind: 'error', error: describeError(value) };
    const facts = readChunk(value, this.#grounding);
    if (facts === undefined) return malformed('a stream event is not part of a response');
    return this.#content(facts, value, data);
  }

  eof(): StreamStep {
    return this.#isComplete() ? END : malformed('the stream ended before the response was complete');
  }

  close(final: FinalUsage): Buffer {
    const last = this.#withUsage(Buffer.concat(this.#keptBack.at(-1) ?? EMPTY_CHUNK), final);
    // The usage goes into the last chunk; one that cannot be edited is passed on unchanged, followed by a chunk with the usage.
    const before = last === undefined ? this.#keptBack : this.#keptBack.slice(0, -1);
    const pieces = before.map((chunk) => this.#frame.chunk(chunk));
    const json = `{"usageMetadata":${this.#encodeUsage(final)}}`;
    pieces.push(this.#frame.chunk([last ?? Buffer.from(json)]), this.#frame.end());
    this.#keptBack = [];
    return Buffer.concat(pieces);
  }

  #content(facts: ChunkFacts, value: JsonRecord, data: Buffer): StreamStep {
    for (const index of facts.seen) this.#seen.add(index);
    for (const index of facts.ended) this.#ended.add(index);
    this.#isBlocked ||= facts.isBlocked;
    if (facts.usage !== undefined) this.#hasUsage = true;
    this.#trafficType = recordOr(value['usageMetadata'])['trafficType'] ?? this.#trafficType;
    this.#keptBack.push(this.#editor.edit(data, value));
    const { text, finishReason, usage, unreadable, details, searches } = facts;
    const bytes = this.#isComplete() ? undefined : this.#release();
    return { kind: 'content', bytes, text, finishReason, usage, unreadable, details, searches };
  }

  /** Whether the response is complete: every candidate has ended, or the prompt was blocked. */
  #isComplete(): boolean {
    return this.#seen.size === 0 ? this.#isBlocked : this.#ended.size === this.#seen.size;
  }

  #release(): Buffer {
    const keptBack = this.#keptBack;
    this.#keptBack = [];
    const [only] = keptBack;
    if (keptBack.length === 1 && only !== undefined) return this.#frame.chunk(only);
    return Buffer.concat(keptBack.map((chunk) => this.#frame.chunk(chunk)));
  }

  /** The last chunk with the usage and the cost; undefined if it cannot be edited. */
  #withUsage(data: Buffer, final: FinalUsage): Buffer | undefined {
    const scanned = scanObject(data, LIMITS);
    if (!scanned.ok) return undefined;
    const { object } = scanned;
    const own = object.members.some((member) => member.key === 'usageMetadata' && member.kind === 'object');
    if (own && this.#hasUsage && !final.estimated) {
      return splice(object, [{ op: 'set', path: ['usageMetadata', 'cost'], json: final.cost }]);
    }
    return splice(object, [{ op: 'set', path: ['usageMetadata'], json: this.#encodeUsage(final) }]);
  }

  #encodeUsage({ usage, cost }: FinalUsage): string {
    return withTrafficType(encodeUsage(usage, cost), { trafficType: this.#trafficType });
  }
}

function malformed(problem: string): StreamStep {
  return { kind: 'malformed', problem };
}
