import type { CarriedThought } from './carried-thoughts.ts';
import type { Opaque } from './opaque.ts';

/** The client's path of a piece of a request, such as `messages[2].content[0]`. Set by request decoders; absent in responses. */
export interface Placed {
  readonly at?: string;
}

/** A mark that the prompt up to and with this piece is worth keeping in the provider's cache. */
export interface CacheHint {
  /** Lifetime; the provider's default when absent. */
  readonly ttl?: '5m' | '1h';
}

/** Bytes of a picture, a document or a recording. A URL is passed on; nobody here fetches it. */
export type MediaSource =
  | { readonly kind: 'url'; readonly url: string; readonly mediaType?: string }
  /** `data` is base64, without line breaks. */
  | { readonly kind: 'data'; readonly mediaType: string; readonly data: string };

export interface TextPart extends Placed {
  readonly type: 'text';
  readonly text: string;
  readonly citations?: readonly Citation[];
  /** A thought signature that came with the text. */
  readonly opaque?: Opaque;
  readonly cache?: CacheHint;
}

export interface ImagePart extends Placed {
  readonly type: 'image';
  readonly source: MediaSource;
  readonly detail?: 'auto' | 'low' | 'high' | 'original';
  readonly cache?: CacheHint;
}

/** A document, or any media other than images and audio (a video is a file of type `video/...`). */
export interface FilePart extends Placed {
  readonly type: 'file';
  /** `text`: a plain text given as a document. */
  readonly source: MediaSource | { readonly kind: 'text'; readonly text: string };
  readonly filename?: string;
  readonly title?: string;
  /** Information about the document that is not part of it. */
  readonly context?: string;
  /** Whether the response shall cite from it. */
  readonly citable?: boolean;
  readonly cache?: CacheHint;
}

export interface AudioPart extends Placed {
  readonly type: 'audio';
  /** Such as `audio/wav`. */
  readonly mediaType: string;
  /** Base64. */
  readonly data: string;
  readonly cache?: CacheHint;
}

export interface ToolCallPart extends Placed {
  readonly type: 'tool-call';
  readonly id: string;
  readonly name: string;
  /** `function`: `input` is meant to be a JSON object's text, as the model wrote it. `custom`: any text. */
  readonly kind: 'function' | 'custom';
  readonly input: string;
  readonly opaque?: Opaque;
  /** Reasoning that a client returns only with this call (see carried-thoughts.ts). */
  readonly thoughts?: readonly CarriedThought[];
  readonly cache?: CacheHint;
}

export interface ToolResultPart extends Placed {
  readonly type: 'tool-result';
  readonly callId: string;
  /** Of the call. */
  readonly kind: 'function' | 'custom';
  /** The tool's name, if the protocol has it with the result; else it is found by the call's id. */
  readonly name?: string;
  readonly parts: readonly (TextPart | ImagePart | FilePart | AudioPart)[];
  readonly isError: boolean;
  readonly cache?: CacheHint;
}

/** What a model thought. */
export interface ReasoningPart extends Placed {
  readonly type: 'reasoning';
  /** `full`: the complete reasoning; `summary`: the provider's summary of it. */
  readonly form: 'full' | 'summary';
  /** Empty if the provider hides it (then `opaque` has it). Several summaries are separated by a blank line. */
  readonly text: string;
  readonly opaque?: Opaque;
}

/** A refusal in the model's own words, where the protocol distinguishes it from other text. */
export interface RefusalPart extends Placed {
  readonly type: 'refusal';
  readonly text: string;
}

export type InputPart = TextPart | ImagePart | FilePart | AudioPart;
/** What a response, and an assistant's turn carried back, is made of. */
export type OutputPart = TextPart | RefusalPart | ReasoningPart | ToolCallPart | ImagePart | AudioPart;

/** The source of a range of a response's text. */
export interface Citation {
  /** A page of the web. */
  readonly url?: string;
  readonly title?: string;
  /** The cited text of the source. */
  readonly quote?: string;
  /** The range of the response's text part that it supports, in characters. */
  readonly textRange?: { readonly start: number; readonly end: number };
  /** A document of the request, counted from 0, and the range of it. */
  readonly document?: {
    readonly index: number;
    readonly unit: 'character' | 'page' | 'block';
    readonly start: number;
    readonly end: number;
  };
}
