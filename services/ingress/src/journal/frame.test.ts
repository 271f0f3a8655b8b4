import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { frameOf, MAX_PAYLOAD_BYTES, payloadOf, readSegment, SEGMENT_HEADER } from './frame.ts';

const payloads = fc.array(fc.uint8Array({ minLength: 1, maxLength: 60 }), { maxLength: 12, size: 'max' });

function segmentOf(records: Uint8Array[]): Buffer {
  return Buffer.concat([SEGMENT_HEADER, ...records.map(frameOf)]);
}

function plain(records: Uint8Array[]): number[][] {
  return records.map((bytes) => [...bytes]);
}

describe('a segment', () => {
  it('cut at any byte yields every whole record before the cut, and no other', () => {
    fc.assert(
      fc.property(payloads, fc.nat(), (records, cutSeed) => {
        const bytes = segmentOf(records);
        const cut = cutSeed % (bytes.length + 1);
        let end = SEGMENT_HEADER.length;
        const whole = records.filter((record) => {
          end += frameOf(record).length;
          return end <= cut;
        });
        const read = readSegment(bytes.subarray(0, cut));
        expect(plain(read.payloads)).toEqual(plain(whole));
        expect(read.damaged).toBe(0);
      }),
    );
  });

  it('yields nothing that was not written, whatever byte is changed', () => {
    fc.assert(
      fc.property(payloads, fc.nat(), fc.integer({ min: 1, max: 255 }), (records, at, change) => {
        const bytes = segmentOf(records);
        const index = at % bytes.length;
        bytes[index] = (bytes[index] ?? 0) ^ change;
        const written = new Set(plain(records).map(String));
        for (const payload of plain(readSegment(bytes).payloads)) expect(written).toContain(String(payload));
      }),
    );
  });

  it('goes on behind a record with a wrong checksum', () => {
    const records = [Buffer.from('one'), Buffer.from('two'), Buffer.from('three')];
    const bytes = segmentOf(records);
    bytes[bytes.indexOf('two')] = 0;
    const read = readSegment(bytes);
    expect(read.payloads.map((payload) => Buffer.from(payload).toString())).toEqual(['one', 'three']);
    expect(read.damaged).toBe(1);
  });

  it('ends where zeros or an impossible length follow', () => {
    const bytes = segmentOf([Buffer.from('one')]);
    expect(readSegment(Buffer.concat([bytes, Buffer.alloc(64)]))).toMatchObject({ damaged: 0, tornBytes: 64 });
    const huge = Buffer.alloc(8);
    huge.writeUInt32LE(MAX_PAYLOAD_BYTES + 1, 0);
    expect(readSegment(Buffer.concat([bytes, huge])).payloads).toHaveLength(1);
  });

  it('of another kind is not read', () => {
    expect(readSegment(Buffer.from('something else entirely'))).toMatchObject({ payloads: [], tornBytes: 23 });
  });

  it('gives a frame its payload back', () => {
    expect([...payloadOf(frameOf(Uint8Array.of(1, 2, 3)))]).toEqual([1, 2, 3]);
  });
});
