import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { frameOf, MAX_PAYLOAD_BYTES, payloadOf, readSegment, SEGMENT_HEADER } from './frame.ts';

const payloads = fc.array(fc.uint8Array({ minLength: 1, maxLength: 60 }), { maxLength: 12, size: 'max' });

/** Few different sizes, so that a wrong length often points to the start of another record. */
const manyPayloads = fc.array(
  fc.constantFrom(1, 24, 56, 500).chain((length) => fc.uint8Array({ minLength: length, maxLength: length })),
  { minLength: 1, maxLength: 40, size: 'max' },
);

/** A damaged segment: records between `from` and `to` may be lost. */
interface Damaged {
  bytes: Buffer;
  from: number;
  to: number;
}

type Damage = (original: Buffer) => Damaged;

const place = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });

const flippedBit = fc.record({ at: place, bit: fc.nat(7) }).map(({ at, bit }): Damage => {
  return (original) => {
    const bytes = Buffer.from(original);
    const from = Math.floor(at * bytes.length);
    bytes[from] = (bytes[from] ?? 0) ^ (1 << bit);
    return { bytes, from, to: from + 1 };
  };
});

/** Overwrites some bytes with zeros, random bytes or bytes from elsewhere in the file, or truncates the file. */
const lostRange = fc
  .record({
    kind: fc.constantFrom('zeros', 'noise', 'copy', 'cut'),
    at: place,
    length: fc.integer({ min: 1, max: 4_096 }),
    source: place,
    noise: fc.uint8Array({ minLength: 64, maxLength: 64 }),
  })
  .map(({ kind, at, length, source, noise }): Damage => {
    return (original) => {
      const bytes = Buffer.from(original);
      const from = Math.floor(at * bytes.length);
      const to = Math.min(bytes.length, from + length);
      if (kind === 'cut') return { bytes: bytes.subarray(0, from), from, to: bytes.length };
      if (kind === 'zeros') bytes.fill(0, from, to);
      else if (kind === 'noise') bytes.fill(noise, from, to);
      else original.copy(bytes, from, Math.floor(source * bytes.length), Math.floor(source * bytes.length) + to - from);
      return { bytes, from, to };
    };
  });

const damages = fc.oneof(flippedBit, lostRange);

function segmentOf(records: Uint8Array[]): Buffer {
  return Buffer.concat([SEGMENT_HEADER, ...records.map(frameOf)]);
}

function texts(payloads: Uint8Array[]): string[] {
  return payloads.map((payload) => Buffer.from(payload).toString());
}

function plain(records: Uint8Array[]): number[][] {
  return records.map((bytes) => [...bytes]);
}

describe('a segment', () => {
  it('truncated at any byte yields exactly the complete records before', () => {
    fc.assert(
      fc.property(payloads, fc.nat(), (records, cutSeed) => {
        const bytes = segmentOf(records);
        const cut = cutSeed % (bytes.length + 1);
        let end = SEGMENT_HEADER.length;
        const undamaged = records.filter((record) => {
          end += frameOf(record).length;
          return end <= cut;
        });
        const read = readSegment(bytes.subarray(0, cut));
        expect(plain(read.payloads)).toEqual(plain(undamaged));
        expect(read.damagedStretches).toBe(0);
      }),
    );
  });

  it('yields only written records, whichever byte is changed', () => {
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

  it('continues after a record with a wrong checksum', () => {
    const records = [Buffer.from('one'), Buffer.from('two'), Buffer.from('three')];
    const bytes = segmentOf(records);
    bytes[bytes.indexOf('two')] = 0;
    const read = readSegment(bytes);
    expect(texts(read.payloads)).toEqual(['one', 'three']);
    expect(read).toMatchObject({ damagedStretches: 1, damagedBytes: 11, tornBytes: 0 });
  });

  it('loses no record to a changed bit in a length, anywhere in the file', () => {
    const records = ['first', 'second', 'third', 'fourth'].map((text) => Buffer.from(text.padEnd(56)));
    for (let index = 0; index < records.length; index += 1) {
      for (let bit = 0; bit < 32; bit += 1) {
        const bytes = segmentOf(records);
        const at = SEGMENT_HEADER.length + index * 64 + (bit >> 3);
        bytes[at] = (bytes[at] ?? 0) ^ (1 << (bit & 7));
        const read = readSegment(bytes);
        expect(texts(read.payloads)).toEqual(texts(records));
        expect(read).toMatchObject({ damagedStretches: 1, tornBytes: 0 });
      }
    }
  });

  it('loses only the records on a zeroed page', () => {
    const records = Array.from({ length: 100 }, (_, index) => Buffer.from(`record ${index}`.padEnd(492)));
    const bytes = segmentOf(records);
    bytes.fill(0, 8_192, 12_288);
    const read = readSegment(bytes);
    const lost = texts(records).filter((text) => !texts(read.payloads).includes(text));
    // Nine records of 500 bytes can overlap a page of 4,096.
    expect(lost.length).toBeGreaterThanOrEqual(8);
    expect(lost.length).toBeLessThanOrEqual(10);
    expect(read.payloads).toHaveLength(100 - lost.length);
    expect(read).toMatchObject({ damagedStretches: 1, tornBytes: 0 });
  });

  it('is read after a damaged file header', () => {
    const bytes = segmentOf([Buffer.from('one'), Buffer.from('two')]);
    bytes[3] = 0;
    expect(texts(readSegment(bytes).payloads)).toEqual(['one', 'two']);
    expect(readSegment(bytes)).toMatchObject({ damagedStretches: 1, damagedBytes: SEGMENT_HEADER.length });
  });

  it('may end with an interrupted write, which is not damage; other bytes are', () => {
    const bytes = segmentOf([Buffer.from('one')]);
    const next = frameOf(Buffer.from('two'));
    for (let cut = 1; cut < next.length; cut += 1) {
      const read = readSegment(Buffer.concat([bytes, next.subarray(0, cut)]));
      expect(read).toMatchObject({ damagedStretches: 0, damagedBytes: 0, tornBytes: cut });
    }
    for (let cut = 0; cut < SEGMENT_HEADER.length; cut += 1) {
      expect(readSegment(SEGMENT_HEADER.subarray(0, cut))).toMatchObject({ damagedStretches: 0, tornBytes: cut });
    }
    expect(readSegment(Buffer.concat([bytes, Buffer.alloc(64)]))).toMatchObject({
      damagedStretches: 1,
      damagedBytes: 64,
    });
    const huge = Buffer.alloc(8);
    huge.writeUInt32LE(MAX_PAYLOAD_BYTES + 1, 0);
    expect(readSegment(Buffer.concat([bytes, huge]))).toMatchObject({
      damagedStretches: 1,
      damagedBytes: 8,
      tornBytes: 0,
    });
  });

  it('yields every record outside of damage, and only written records', () => {
    fc.assert(
      fc.property(manyPayloads, damages, (records, damage) => {
        const original = segmentOf(records);
        const { bytes, from, to } = damage(original);
        const read = new Set(plain(readSegment(bytes).payloads).map(String));
        let end = SEGMENT_HEADER.length;
        for (const record of records) {
          const start = end;
          end += frameOf(record).length;
          if (end <= from || start >= to) expect(read).toContain(String([...record]));
        }
        const written = new Set(plain(records).map(String));
        for (const payload of read) expect(written).toContain(payload);
      }),
      { numRuns: 500 },
    );
  });

  it('of another format yields nothing and counts as damaged', () => {
    const read = readSegment(Buffer.from('something else entirely'));
    expect(read).toMatchObject({ payloads: [], damagedStretches: 1, damagedBytes: 23 });
  });

  it('returns the payload of a frame', () => {
    expect([...payloadOf(frameOf(Uint8Array.of(1, 2, 3)))]).toEqual([1, 2, 3]);
  });
});
