import { crc32 } from 'node:zlib';

/** The first bytes of every segment file: its format and version. */
export const SEGMENT_HEADER = Buffer.from('TGJRNL01', 'latin1');

/** Before each payload: its length and CRC32, both 32 bits, little endian. */
const FRAME_HEADER_BYTES = 8;

/** Maximum size of a record; a larger length in a file is damage. */
export const MAX_PAYLOAD_BYTES = 1024 * 1024;

/** A payload with its header, as stored in a segment. */
export function frameOf(payload: Uint8Array): Uint8Array {
  const frame = Buffer.allocUnsafe(FRAME_HEADER_BYTES + payload.length);
  frame.writeUInt32LE(payload.length, 0);
  frame.writeUInt32LE(crc32(payload), 4);
  frame.set(payload, FRAME_HEADER_BYTES);
  return frame;
}

/** The payload of a frame, not copied. */
export function payloadOf(frame: Uint8Array): Uint8Array {
  return frame.subarray(FRAME_HEADER_BYTES);
}

export interface SegmentContents {
  payloads: Uint8Array[];
  /** Number of stretches of bytes, between or around good frames, that are not intact frames. */
  damagedStretches: number;
  /** Bytes skipped in these stretches. If only a length is wrong, the payload is still read. */
  damagedBytes: number;
  /** Bytes of an incomplete frame at the end, left by an interrupted write. */
  tornBytes: number;
}

/**
 * Reads a segment file: every frame with a correct checksum, in order. After damage it continues with the next good frame,
 * which it searches byte by byte, since a damaged length does not show where that begins. It cannot find a frame within
 * the payload of another one: the last byte of a length is zero, which no text of a charge contains.
 */
export function readSegment(bytes: Uint8Array): SegmentContents {
  const contents: SegmentContents = { payloads: [], damagedStretches: 0, damagedBytes: 0, tornBytes: 0 };
  const file = new SegmentFile(bytes);
  let at = file.hasHeader ? SEGMENT_HEADER.length : 0;
  while (at < bytes.length) {
    const payload = file.payloadAt(at);
    if (payload !== undefined) {
      contents.payloads.push(payload);
      at += FRAME_HEADER_BYTES + payload.length;
      continue;
    }
    const next = file.nextFrame(at + 1);
    const recovered = file.payloadBetween(at, next);
    if (recovered === undefined && next === bytes.length && file.isCutAt(at))
      return { ...contents, tornBytes: next - at };
    if (recovered !== undefined) contents.payloads.push(recovered);
    else contents.damagedBytes += next - at;
    contents.damagedStretches += 1;
    at = next;
  }
  return contents;
}

class SegmentFile {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  get hasHeader(): boolean {
    const { length } = SEGMENT_HEADER;
    return this.#bytes.length >= length && SEGMENT_HEADER.equals(this.#bytes.subarray(0, length));
  }

  /** The payload of the frame at this position; undefined where there is none. */
  payloadAt(at: number): Uint8Array | undefined {
    const end = this.#endAt(at);
    return end === undefined ? undefined : this.payloadBetween(at, end);
  }

  /** The payload of a frame between two positions, whatever its length field; undefined if its checksum is wrong. */
  payloadBetween(at: number, end: number): Uint8Array | undefined {
    const start = at + FRAME_HEADER_BYTES;
    if (end <= start || end - start > MAX_PAYLOAD_BYTES) return undefined;
    const payload = this.#bytes.subarray(start, end);
    return crc32(payload) === this.#view.getUint32(at + 4, true) ? payload : undefined;
  }

  /** Position of the first good frame at or after `from`; the end of the file where there is none. */
  nextFrame(from: number): number {
    for (let at = from; at + FRAME_HEADER_BYTES < this.#bytes.length; at += 1) {
      if (this.payloadAt(at) !== undefined) return at;
    }
    return this.#bytes.length;
  }

  /** Whether the rest of the file can be an incomplete frame, or an incomplete file header. */
  isCutAt(at: number): boolean {
    const left = this.#bytes.length - at;
    if (at === 0 && left < SEGMENT_HEADER.length) return SEGMENT_HEADER.subarray(0, left).equals(this.#bytes);
    if (at === 0) return false;
    return left < FRAME_HEADER_BYTES || (this.#isLength(at) && this.#endAt(at) === undefined);
  }

  /** End of the frame at this position by its length; undefined for an invalid length, or one beyond the file. */
  #endAt(at: number): number | undefined {
    if (at + FRAME_HEADER_BYTES > this.#bytes.length || !this.#isLength(at)) return undefined;
    const end = at + FRAME_HEADER_BYTES + this.#view.getUint32(at, true);
    return end > this.#bytes.length ? undefined : end;
  }

  #isLength(at: number): boolean {
    const length = this.#view.getUint32(at, true);
    return length > 0 && length <= MAX_PAYLOAD_BYTES;
  }
}
