import fc, { type Arbitrary } from 'fast-check';
import type { Opaque } from '../../src/canonical/opaque.ts';
import type {
  AudioPart,
  CacheHint,
  Citation,
  FilePart,
  ImagePart,
  InputPart,
  OutputPart,
  ReasoningPart,
  RefusalPart,
  TextPart,
} from '../../src/canonical/part.ts';
import type { ProtocolName } from '../../src/canonical/protocol-name.ts';
import { PROTOCOL_NAMES } from '../../src/canonical/protocol-name.ts';

/** What random parts may contain. Everything when absent; a property test excludes what its protocol cannot express. */
export interface PartSwitches {
  readonly media?: readonly MediaKind[];
  readonly imageDetail?: boolean;
  /** Names, titles and contexts of files, and whether to cite from them. */
  readonly fileFacts?: boolean;
  readonly cacheHints?: boolean;
  readonly citations?: boolean;
  readonly refusals?: boolean;
  /** Origins of signatures; an empty list excludes reasoning with signatures. */
  readonly origins?: readonly ProtocolName[];
  /** Signatures on texts and tool calls. */
  readonly opaqueParts?: boolean;
  readonly unsignedReasoning?: boolean;
  readonly reasoningForms?: readonly ('full' | 'summary')[];
  /** Reasoning with only a signature. */
  readonly silentReasoning?: boolean;
  /** Images and audio in responses. */
  readonly outputMedia?: boolean;
}

export const MEDIA_KINDS = ['image-url', 'image-data', 'file-url', 'file-data', 'file-text', 'audio'] as const;
export type MediaKind = (typeof MEDIA_KINDS)[number];

/** Any text with more than white space, of complete characters. */
export const someText: Arbitrary<string> = fc.oneof(
  fc.lorem({ maxCount: 4 }),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 12 }).filter((text) => text.trim() !== ''),
);

const base64: Arbitrary<string> = fc
  .uint8Array({ minLength: 1, maxLength: 12 })
  .map((bytes) => Buffer.from(bytes).toString('base64'));
const url = fc.integer({ min: 0, max: 999 }).map((n) => `https://files.example/${n}`);

/** Adds none or some of the members. */
export function optionally<T extends object, O extends object>(
  base: Arbitrary<T>,
  members: { [K in keyof O]: Arbitrary<O[K]> } | undefined,
): Arbitrary<T & Partial<O>> {
  if (members === undefined) return base;
  const extra = fc.record<O, never>(members, { requiredKeys: [] });
  return fc.tuple(base, extra).map(([first, second]) => ({ ...first, ...second }));
}

export function cacheHint(): Arbitrary<CacheHint> {
  return fc.constantFrom<CacheHint>({}, { ttl: '5m' }, { ttl: '1h' });
}

/** The cache hint of a piece, where there are any. */
export function cacheOf(switches: PartSwitches): { cache: Arbitrary<CacheHint> } | undefined {
  return switches.cacheHints === false ? undefined : { cache: cacheHint() };
}

export function opaque(switches: PartSwitches): Arbitrary<Opaque> | undefined {
  const origins = switches.origins ?? PROTOCOL_NAMES;
  if (origins.length === 0) return undefined;
  return fc.record({ origin: fc.constantFrom(...origins), data: base64 });
}

/** Signatures on texts and calls, which only one provider returns. */
export function partOpaque(switches: PartSwitches): { opaque: Arbitrary<Opaque> } | undefined {
  const signature = switches.opaqueParts === false ? undefined : opaque(switches);
  return signature === undefined ? undefined : { opaque: signature };
}

/** What a user's turn, or a tool's result, is made of. */
export function inputPart(switches: PartSwitches): Arbitrary<InputPart> {
  const media = (switches.media ?? MEDIA_KINDS).map((kind) => mediaPart(kind, switches));
  return fc.oneof({ arbitrary: plainText(switches), weight: 2 }, ...media);
}

export function plainText(switches: PartSwitches): Arbitrary<TextPart> {
  const base = fc.record<TextPart>({ type: fc.constant('text'), text: someText });
  return optionally(base, cacheOf(switches));
}

function mediaPart(kind: MediaKind, switches: PartSwitches): Arbitrary<InputPart> {
  switch (kind) {
    case 'image-url':
    case 'image-data':
      return image(kind, switches);
    case 'file-url':
    case 'file-data':
    case 'file-text':
      return file(kind, switches);
    case 'audio':
      return optionally(audio(), cacheOf(switches));
    default:
      return kind satisfies never;
  }
}

function image(kind: 'image-url' | 'image-data', switches: PartSwitches): Arbitrary<ImagePart> {
  const mediaType = fc.constantFrom('image/png', 'image/jpeg', 'image/webp');
  const base: Arbitrary<ImagePart> =
    kind === 'image-url'
      ? url.map((address) => ({ type: 'image', source: { kind: 'url', url: address } }))
      : fc.tuple(mediaType, base64).map(([type, data]) => ({
          type: 'image',
          source: { kind: 'data', mediaType: type, data },
        }));
  const detail = fc.constantFrom('auto', 'low', 'high');
  return optionally(base, { ...(switches.imageDetail !== false && { detail }), ...cacheOf(switches) });
}

function file(kind: 'file-url' | 'file-data' | 'file-text', switches: PartSwitches): Arbitrary<FilePart> {
  const facts = {
    filename: fc.constantFrom('a.pdf', 'report 1.pdf'),
    title: fc.lorem({ maxCount: 2 }),
    context: fc.lorem({ maxCount: 2 }),
    citable: fc.boolean(),
  };
  const extra = { ...(switches.fileFacts !== false && facts), ...cacheOf(switches) };
  return optionally(fileSource(kind), extra);
}

function fileSource(kind: 'file-url' | 'file-data' | 'file-text'): Arbitrary<FilePart> {
  switch (kind) {
    case 'file-url':
      return url.map((address) => ({ type: 'file', source: { kind: 'url', url: address } }));
    case 'file-data':
      return base64.map((data) => ({ type: 'file', source: { kind: 'data', mediaType: 'application/pdf', data } }));
    case 'file-text':
      return someText.map((text) => ({ type: 'file', source: { kind: 'text', text } }));
    default:
      return kind satisfies never;
  }
}

function audio(): Arbitrary<AudioPart> {
  return fc.record({ type: fc.constant('audio'), mediaType: fc.constantFrom('audio/wav', 'audio/mpeg'), data: base64 });
}

/** Parts of responses other than tool calls. */
export function spokenPart(switches: PartSwitches): Arbitrary<OutputPart> {
  const kinds: Arbitrary<OutputPart>[] = [answerText(switches)];
  if (switches.refusals !== false) {
    kinds.push(fc.record<RefusalPart>({ type: fc.constant('refusal'), text: someText }));
  }
  kinds.push(...reasoning(switches));
  if (switches.outputMedia !== false)
    kinds.push(image('image-data', { imageDetail: false, cacheHints: false }), audio());
  return fc.oneof(...kinds);
}

function answerText(switches: PartSwitches): Arbitrary<TextPart> {
  const base = fc.record<TextPart>({ type: fc.constant('text'), text: someText });
  const citations = fc.array(citation(), { minLength: 1, maxLength: 2 });
  return optionally(base, { ...(switches.citations !== false && { citations }), ...partOpaque(switches) });
}

function citation(): Arbitrary<Citation> {
  const page = fc.record({ url, title: fc.lorem({ maxCount: 2 }) });
  return optionally(page, { textRange: fc.record({ start: fc.constant(0), end: fc.nat({ max: 9 }) }) });
}

function reasoning(switches: PartSwitches): Arbitrary<ReasoningPart>[] {
  const forms = switches.reasoningForms ?? ['full', 'summary'];
  const signature = opaque(switches);
  const head = { type: fc.constant('reasoning' as const), form: fc.constantFrom(...forms) };
  const kinds: Arbitrary<ReasoningPart>[] = [];
  if (switches.unsignedReasoning !== false) kinds.push(fc.record({ ...head, text: someText }));
  if (signature !== undefined) kinds.push(fc.record({ ...head, text: someText, opaque: signature }));
  if (signature !== undefined && switches.silentReasoning !== false) {
    kinds.push(fc.record({ ...head, form: fc.constant('full' as const), text: fc.constant(''), opaque: signature }));
  }
  return kinds;
}
