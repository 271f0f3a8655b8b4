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
  /** Frames whose checksum was wrong; none of them is among the payloads. */
  damaged: number;
  /** Bytes at the end that form no whole frame, as a write that was cut leaves them. */
  tornBytes: number;
}

/**
 * Reads a segment file's bytes: every whole frame with its right checksum, up to where no frame can be told any more.
 * A frame with a wrong checksum is passed over, as those behind it may be whole.
 */
export function readSegment(bytes: Uint8Array): SegmentContents {
  const contents: SegmentContents = { payloads: [], damaged: 0, tornBytes: 0 };
  if (!startsWithHeader(bytes)) return { ...contents, tornBytes: bytes.length };
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let at = SEGMENT_HEADER.length;
  while (at + FRAME_HEADER_BYTES <= bytes.length) {
    const length = view.getUint32(at, true);
    const end = at + FRAME_HEADER_BYTES + length;
    if (length === 0 || length > MAX_PAYLOAD_BYTES || end > bytes.length) break;
    const payload = bytes.subarray(at + FRAME_HEADER_BYTES, end);
    if (crc32(payload) === view.getUint32(at + 4, true)) contents.payloads.push(payload);
    else contents.damaged += 1;
    at = end;
  }
  return { ...contents, tornBytes: bytes.length - at };
}

function startsWithHeader(bytes: Uint8Array): boolean {
  return bytes.length >= SEGMENT_HEADER.length && SEGMENT_HEADER.equals(bytes.subarray(0, SEGMENT_HEADER.length));
}
