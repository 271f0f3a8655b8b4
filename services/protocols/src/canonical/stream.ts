import type { Opaque } from './opaque.ts';
import type { AudioPart, Citation, ImagePart } from './part.ts';
import type { Finish, TokenLogprob } from './response.ts';
import type { Usage } from './usage.ts';
import type { UsageDetails } from './usage-report.ts';

/** The fields of a response part that are known when it opens. */
export type PartHead =
  | { readonly type: 'text' }
  | { readonly type: 'refusal' }
  | { readonly type: 'reasoning'; readonly form: 'full' | 'summary' }
  | { readonly type: 'tool-call'; readonly id: string; readonly name: string; readonly kind: 'function' | 'custom' };

/**
 * One event of a streamed response. A stream is valid if
 * - `start` comes first and once;
 * - a part opens, grows and closes, in that order, and its number is never used again;
 * - in each choice at most one part is open at any time: decoders put calls that an upstream sends interleaved in order;
 * - each choice has one `finish`, after its last part has closed; nothing of that choice follows it;
 * - `usage` may come at any time after `start`; a later one replaces the earlier. It may have only details.
 * The end of a response, or its interruption, is reported outside of the events (see StreamDecoder).
 */
export type StreamEvent =
  /** `id` is the upstream's id of the response, or empty; `created` is in Unix seconds. */
  | { readonly type: 'start'; readonly id: string; readonly created: number | undefined }
  /** `opaque` is set here for a tool call whose value is known when it opens: clients read it only then. */
  | {
      readonly type: 'part-start';
      readonly part: number;
      readonly choice: number;
      readonly head: PartHead;
      readonly opaque?: Opaque;
    }
  /** More of its text, or of a tool call's input. Never splits a character. */
  | { readonly type: 'part-delta'; readonly part: number; readonly text: string }
  | { readonly type: 'part-citation'; readonly part: number; readonly citation: Citation }
  /** `opaque` is set here if the part began without it. */
  | { readonly type: 'part-end'; readonly part: number; readonly opaque?: Opaque }
  /** An image or audio, in one event. It counts as a part that opens and closes here. */
  | { readonly type: 'media'; readonly part: number; readonly choice: number; readonly content: ImagePart | AudioPart }
  /** For the text since the last such event, sent while its part is open if there is one. */
  | { readonly type: 'logprobs'; readonly choice: number; readonly tokens: readonly TokenLogprob[] }
  | { readonly type: 'finish'; readonly choice: number; readonly finish: Finish }
  | { readonly type: 'usage'; readonly usage: Usage | undefined; readonly details?: UsageDetails };
