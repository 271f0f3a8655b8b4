/** Field numbers on the way to a span: ExportTraceServiceRequest.resource_spans, ResourceSpans.scope_spans, ScopeSpans.spans. */
const PATH = [1, 2, 2] as const;
const LENGTH_DELIMITED = 2;

/**
 * Counts the spans of an OTLP export without decoding them.
 *
 * @param bytes an ExportTraceServiceRequest in protobuf
 * @throws RangeError when the bytes are none
 */
export function countSpans(bytes: Uint8Array): number {
  return countAt(bytes, 0, bytes.length, 0);
}

function countAt(bytes: Uint8Array, start: number, end: number, depth: number): number {
  let count = 0;
  const cursor = { at: start };
  while (cursor.at < end) {
    const tag = varint(bytes, cursor);
    const wireType = tag & 7;
    if (wireType !== LENGTH_DELIMITED) {
      skip(bytes, cursor, wireType);
      continue;
    }
    const length = varint(bytes, cursor);
    const next = cursor.at + length;
    if (next > end) throw new RangeError('a field is longer than its message');
    if (tag >>> 3 === PATH[depth]) count += depth === PATH.length - 1 ? 1 : countAt(bytes, cursor.at, next, depth + 1);
    cursor.at = next;
  }
  return count;
}

function varint(bytes: Uint8Array, cursor: { at: number }): number {
  let value = 0;
  for (let factor = 1; factor <= 2 ** 56; factor *= 128) {
    const byte = bytes[cursor.at];
    if (byte === undefined) throw new RangeError('the message ends within a number');
    cursor.at += 1;
    value += (byte & 0x7f) * factor;
    if (byte < 0x80) return value;
  }
  throw new RangeError('a number is too long');
}

function skip(bytes: Uint8Array, cursor: { at: number }, wireType: number): void {
  if (wireType === 0) varint(bytes, cursor);
  else if (wireType === 1) cursor.at += 8;
  else if (wireType === 5) cursor.at += 4;
  else throw new RangeError(`unknown wire type ${wireType}`);
}
