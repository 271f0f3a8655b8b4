import { crc32 } from 'node:zlib';

/** What every segment file begins with: its kind and version. */
export const SEGMENT_HEADER = Buffer.from('TGJRNL01', 'latin1');

/** Length and CRC32 of the payload, both 32 bits, little endian, before each payload. */
const FRAME_HEADER_BYTES = 8;

/** No record is as large as this; a larger length in a file is damage. */
export const MAX_PAYLOAD_BYTES = 1024 * 1024;

/** A payload with its header before it, as it stands in a segment. */
export function frameOf(payload: Uint8Array): Uint8Array {
  const frame = Buffer.allocUnsafe(FRAME_HEADER_BYTES + payload.length);
  frame.writeUInt32LE(payload.length, 0);
  frame.writeUInt32LE(crc32(payload), 4);
  frame.set(payload, FRAME_HEADER_BYTES);
  return frame;
}

/** The payload within a frame, not copied. */
export function payloadOf(frame: Uint8Array): Uint8Array {
  return frame.subarray(FRAME_HEADER_BYTES);
}

export interface SegmentContents {
  payloads: Uint8Array[];
  /** Stretches of bytes, between good frames or around them, that are no frames as they were written. */
  damaged: number;
  /** What was left out of these. A stretch where only a length was wrong has its payload all the same. */
  damagedBytes: number;
  /** Bytes at the end that form no whole frame, as a write that was cut leaves them. */
  tornBytes: number;
}

/**
 * Reads a segment file's bytes: every frame with its right checksum, in order. Behind damage it goes on with the next good
 * frame, for which each byte is tried, as a damaged length says nothing about where that begins. No frame can be found
 * within the payload of another one: the last byte of a length is zero, which no text of a charge contains.
 */
export function readSegment(bytes: Uint8Array): SegmentContents {
  const contents: SegmentContents = { payloads: [], damaged: 0, damagedBytes: 0, tornBytes: 0 };
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
    const rescued = file.payloadBetween(at, next);
    if (rescued === undefined && next === bytes.length && file.isCutAt(at))
      return { ...contents, tornBytes: next - at };
    if (rescued !== undefined) contents.payloads.push(rescued);
    else contents.damagedBytes += next - at;
    contents.damaged += 1;
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

  /** The payload of the frame that begins here; undefined where none does. */
  payloadAt(at: number): Uint8Array | undefined {
    const end = this.#endAt(at);
    return end === undefined ? undefined : this.payloadBetween(at, end);
  }

  /** The payload of a frame from here to there, whatever its length says; undefined where its checksum is wrong. */
  payloadBetween(at: number, end: number): Uint8Array | undefined {
    const start = at + FRAME_HEADER_BYTES;
    if (end <= start || end - start > MAX_PAYLOAD_BYTES) return undefined;
    const payload = this.#bytes.subarray(start, end);
    return crc32(payload) === this.#view.getUint32(at + 4, true) ? payload : undefined;
  }

  /** Where the first good frame begins that is not before `from`; the end of the file where there is none. */
  nextFrame(from: number): number {
    for (let at = from; at + FRAME_HEADER_BYTES < this.#bytes.length; at += 1) {
      if (this.payloadAt(at) !== undefined) return at;
    }
    return this.#bytes.length;
  }

  /** Whether what is left of the file can be the beginning of a frame, or of a file. */
  isCutAt(at: number): boolean {
    const left = this.#bytes.length - at;
    if (at === 0 && left < SEGMENT_HEADER.length) return SEGMENT_HEADER.subarray(0, left).equals(this.#bytes);
    if (at === 0) return false;
    return left < FRAME_HEADER_BYTES || (this.#isLength(at) && this.#endAt(at) === undefined);
  }

  /** Where the frame that begins here ends by its length; undefined where that is none, or leads beyond the file. */
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
