import { claimsNoOutput, type Usage } from '../../canonical/usage.ts';
import { laterDetails, type UsageDetails, type UsageReport } from '../../canonical/usage-report.ts';
import type { FinalUsage, ResponseContext, StreamStep, StreamTransformer } from '../../interface/protocol.ts';
import type { SseEvent } from '../../sse/event.ts';
import { ChunkReader, type ChunkResult, ENDED_EARLY, NOT_A_CHUNK } from '../shared/chunk.ts';
import { textOfChoices } from '../shared/generated-text.ts';
import { ofResponse } from '../shared/usage.ts';
import { ChunkEditor, type ChunkEvent, encodeUsageChunk, readChunkEvent } from './edit-chunk.ts';

const DONE = Buffer.from('data: [DONE]\n\n');
const EMPTY = Buffer.alloc(0);

type Delta = Extract<ChunkEvent, { kind: 'delta' }>;
type Chunk = Extract<ChunkResult, { kind: 'chunk' }>;
type UsageChunk = Extract<ChunkEvent, { kind: 'usage' }>;

/**
 * Passes on a stream of chat completions. The usage chunk is kept back until the charge is known, and dropped for a
 * client that did not request it.
 */
export class ChatStreamTransformer implements StreamTransformer {
  readonly #context: ResponseContext;
  readonly #includeUsage: boolean;
  readonly #chunks = new ChunkReader();
  readonly #editor: ChunkEditor;
  /** The last chunk, if there was nothing to record of it but its text. */
  #plain: Chunk | undefined;
  /** Whether it has a `usage` member, which is null. */
  #hasNullUsage = false;
  readonly #ended = new Set<number>();
  #highestChoice = -1;
  #hasText = false;
  #hasReport = false;
  /** Whether a chunk of the response brought the client a plausible usage. */
  #usageSent = false;
  #usageChunk: UsageChunk | undefined;
  #lastChunk: Buffer = EMPTY;
  #details: UsageDetails | undefined;

  constructor(context: ResponseContext, includeUsage: boolean) {
    this.#context = context;
    this.#includeUsage = includeUsage;
    this.#editor = new ChunkEditor({ model: context.model, includeUsage });
  }

  push(event: SseEvent): StreamStep {
    const chunk = this.#chunks.read(event);
    if (chunk === this.#plain) return this.#text(event, this.#plain);
    const read = readChunkEvent(event, chunk);
    switch (read.kind) {
      case 'delta':
        this.#plain = chunk.kind === 'chunk' && isPlain(read) ? chunk : undefined;
        this.#hasNullUsage = read.hasUsage;
        return this.#delta(read);
      case 'usage':
        this.#usageChunk = read;
        this.#lastChunk = read.event.data ?? EMPTY;
        return {
          kind: 'content',
          bytes: undefined,
          text: '',
          finishReason: '',
          ...this.#report(read),
        };
      case 'done':
        return END;
      case 'silent':
        return { kind: 'silent', bytes: read.event.raw };
      case 'error':
        return { kind: 'error', error: read.error };
      case 'malformed':
        return { kind: 'malformed', problem: NOT_A_CHUNK };
      default:
        return read satisfies never;
    }
  }

  /** Some upstreams leave out [DONE]; a response whose choices have all ended is complete without it. */
  eof(): StreamStep {
    const isComplete = this.#highestChoice >= 0 && this.#ended.size > this.#highestChoice;
    return isComplete ? END : { kind: 'malformed', problem: ENDED_EARLY };
  }

  close(final: FinalUsage): Buffer {
    const usage = this.#includeUsage ? this.#usageBytes(final) : undefined;
    return usage === undefined ? DONE : Buffer.concat([usage, DONE]);
  }

  /** A chunk that differs from the one before only in its text. */
  #text(event: SseEvent, { choices }: Chunk): StreamStep {
    this.#lastChunk = event.data ?? EMPTY;
    const text = textOfChoices(choices);
    if (text !== '') this.#hasText = true;
    const bytes = this.#editor.editPlain(event, this.#hasNullUsage);
    return { kind: 'content', bytes, text, finishReason: '', usage: undefined };
  }

  #delta(read: Delta): StreamStep {
    this.#lastChunk = read.event.data ?? EMPTY;
    if (read.text !== '') this.#hasText = true;
    if (read.highestChoice > this.#highestChoice) this.#highestChoice = read.highestChoice;
    for (const choice of read.ended) this.#ended.add(choice);
    let cost: string | undefined;
    const { usage, isInPlace } = read.report;
    this.#details = laterDetails(this.#details, read.report.details);
    if (this.#includeUsage && usage !== undefined && isInPlace && this.#canBeTrue(usage)) {
      cost = this.#context.costOf(usage, this.#details);
      this.#usageSent = true;
    }
    const bytes = this.#editor.edit(read, cost);
    const { text, finishReason } = read;
    return { kind: 'content', bytes, text, finishReason, ...this.#report(read) };
  }

  #report({ report }: Delta | UsageChunk): UsageReport {
    const state = { hasSeveral: this.#highestChoice > 0, isFirst: !this.#hasReport };
    const { usage, unreadable, details } = ofResponse(report, state);
    if (usage !== undefined) this.#hasReport = true;
    return { usage, unreadable, details };
  }

  #canBeTrue(usage: Usage): boolean {
    return !(this.#hasText && claimsNoOutput(usage));
  }

  /** The upstream's usage chunk with the cost; a generated one if it sent none, or an implausible one. */
  #usageBytes(final: FinalUsage): Buffer | undefined {
    if (this.#usageChunk?.report.usage !== undefined && this.#usageChunk.report.isInPlace && !final.estimated) {
      return this.#editor.edit(this.#usageChunk, final.cost);
    }
    if (this.#usageSent && !final.estimated) return undefined;
    return encodeUsageChunk(this.#lastChunk, final.usage, { model: this.#context.model, cost: final.cost });
  }
}

/** Whether a chunk has nothing to record but its text, and its details. */
function isPlain({ ended, report, hasCost }: Delta): boolean {
  return ended.length === 0 && report.usage === undefined && report.unreadable === undefined && !hasCost;
}

const END: StreamStep = { kind: 'end', bytes: undefined, text: '', finishReason: '', usage: undefined };
