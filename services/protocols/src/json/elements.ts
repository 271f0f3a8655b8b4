import type { JsonMember, JsonObject } from './object.ts';

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;

/** A range of a text, in bytes; `end` is exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** The ranges of an array member's elements, with the white space around them. Empty if the member is not an array. */
export function elementsOf(object: JsonObject, member: JsonMember): Span[] {
  if (member.kind !== 'array') return [];
  const { bytes } = object;
  const last = member.valueEnd - 1;
  const spans: Span[] = [];
  let start = member.valueStart + 1;
  let depth = 0;
  for (let at = start; at < last; at++) {
    switch (bytes[at]) {
      case QUOTE:
        at = closingQuote(bytes, at);
        break;
      case 0x7b:
      case 0x5b:
        depth++;
        break;
      case 0x7d:
      case 0x5d:
        depth--;
        break;
      case COMMA:
        if (depth > 0) break;
        spans.push({ start, end: at });
        start = at + 1;
        break;
      default:
        break;
    }
  }
  const isEmpty = spans.length === 0 && bytes.toString('latin1', start, last).trim() === '';
  if (!isEmpty) spans.push({ start, end: last });
  return spans;
}

/** The text is known to be valid, so every string is closed. */
function closingQuote(bytes: Buffer, open: number): number {
  let at = open + 1;
  while (bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}
