import type { OutputPart } from '../../canonical/part.ts';

/**
 * Google's SDK keeps each chunk of a stream as a content of its own and sends them back like that: a text or a thought
 * that came in pieces is one again, up to the piece that brings the signature. Texts that one content parts stay parted.
 *
 * @param isNext whether the part begins a content
 * @returns undefined when it is not a piece of the part before
 */
export function joinPiece(before: OutputPart, part: OutputPart, isNext: boolean): OutputPart | undefined {
  if (before.type === 'text' && part.type === 'text' && before.opaque === undefined) {
    if (!isNext && part.text !== '') return undefined;
    return { ...before, text: before.text + part.text, ...(part.opaque !== undefined && { opaque: part.opaque }) };
  }
  if (before.type === 'reasoning' && part.type === 'reasoning' && before.opaque === undefined) {
    return { ...before, text: before.text + part.text, ...(part.opaque !== undefined && { opaque: part.opaque }) };
  }
  return undefined;
}
