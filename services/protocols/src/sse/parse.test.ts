import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encodeSseComment, encodeSseEvent } from './event.ts';
import { SseParser } from './parse.ts';

interface Read {
  raw: string;
  data: string | undefined;
  type: string;
}

function readAll(chunks: readonly Buffer[], maxEventBytes = 1_000_000): Read[] {
  const parser = new SseParser({ maxEventBytes });
  const events: Read[] = [];
  const add = (event: { raw: Buffer; data: Buffer | undefined; type: string }) =>
    events.push({ raw: event.raw.toString('latin1'), data: event.data?.toString(), type: event.type });
  for (const chunk of chunks) {
    const result = parser.push(chunk);
    if (!result.ok) throw new Error(result.kind);
    for (const event of result.events) add(event);
  }
  const rest = parser.end();
  if (rest !== undefined) add(rest);
  return events;
}

function read(text: string): Read[] {
  return readAll([Buffer.from(text)]);
}

function dataOf(text: string): (string | undefined)[] {
  return read(text).map((event) => event.data);
}

/** The bytes in pieces that end at the given places. */
function cutAt(bytes: Buffer, places: readonly number[]): Buffer[] {
  const sorted = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b);
  return [...sorted, bytes.length].map((end, i) => bytes.subarray(sorted[i - 1] ?? 0, end));
}

const STREAM = [
  '\ufeffdata: {"choices":[{"delta":{"content":"héllo 🌍"}}]}\n\n',
  ': keep-alive\n\n',
  'event: message_start\r\ndata: one\r\ndata: two\r\n\r\n',
  'data:no space\rdata:  two spaces\r\r',
  'id: 7\nretry: 10\ndata\ndata: \n\n',
  'unknown\ndatabase: no\nevent:\ndata: {"a":1}\r\n\n',
  '\n\r\n\r',
  'data: [DONE]\n\n',
].join('');

describe('SseParser', () => {
  test('returns data and raw bytes of common chunks', () => {
    expect(read('data: {"a":1}\n\ndata: [DONE]\n\n')).toEqual([
      { raw: 'data: {"a":1}\n\n', data: '{"a":1}', type: '' },
      { raw: 'data: [DONE]\n\n', data: '[DONE]', type: '' },
    ]);
  });

  test('joins data lines, strips one space, and takes a field without a colon as empty', () => {
    expect(dataOf('data: a\ndata:b\ndata:  c\n\n')).toEqual(['a\nb\n c']);
    expect(dataOf('data\n\n')).toEqual(['']);
    expect(dataOf('data\ndata\n\n')).toEqual(['\n']);
    expect(dataOf('database: x\n\n')).toEqual([undefined]);
    expect(dataOf('Data: x\n\n')).toEqual([undefined]);
    expect(dataOf(' data: x\n\n')).toEqual([undefined]);
  });

  test('accepts LF, CR LF and CR as line ends, also mixed', () => {
    expect(dataOf('data: a\r\n\r\ndata: b\r\rdata: c\n\ndata: d\n\r\n')).toEqual(['a', 'b', 'c', 'd']);
  });

  test('reads the event name, the last one if there are several', () => {
    expect(read('event: a\nevent: ping\ndata: {}\n\n')[0]?.type).toBe('ping');
    expect(read('event\ndata: {}\n\n')[0]?.type).toBe('');
  });

  test('drops a byte order mark at the start only', () => {
    expect(dataOf('\ufeffdata: a\n\n\ufeffdata: b\n\n')).toEqual(['a', undefined]);
  });

  test('returns comments as events without data', () => {
    expect(read(': ping\n\ndata: a\n\n').map((event) => event.data)).toEqual([undefined, 'a']);
    expect(dataOf(': note\ndata: a\n\n')).toEqual(['a']);
  });

  test('returns the rest at the end, complete or not', () => {
    expect(dataOf('data: a\n\ndata: [DONE]')).toEqual(['a', '[DONE]']);
    expect(dataOf('data: [DONE]\n')).toEqual(['[DONE]']);
    expect(dataOf('data: [DONE]\r\n\r')).toEqual(['[DONE]']);
    expect(dataOf('')).toEqual([]);
  });

  test.each(['data: a', 'data: a\n', 'data: a\r', 'data: a\r\n', 'data: a\r\n\r', ': a comment', 'data: a\n: b'])(
    'ends what is left with a blank line, so that whatever follows it is an event of its own (%j)',
    (left) => {
      const sent = readAll([Buffer.from(`data: first\n\n${left}`)])
        .map((event) => event.raw)
        .join('');
      expect(dataOf(`${sent}data: after\n\n`).slice(-1)).toEqual(['after']);
    },
  );

  test('returns the same events wherever the stream is split in two', () => {
    const bytes = Buffer.from(STREAM);
    const whole = readAll([bytes]);
    for (let at = 0; at <= bytes.length; at++) {
      expect(readAll([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(whole);
    }
    expect(readAll([...bytes].map((byte) => Buffer.of(byte)))).toEqual(whole);
  });

  test('returns the same events, and loses no byte, for any stream in any chunks', () => {
    const piece = fc.constantFrom(
      'data',
      'event',
      'id',
      ':',
      ' ',
      'x',
      'é',
      '\n',
      '\r',
      '\r\n',
      '\n\n',
      '{"a":1}',
      '\ufeff',
    );
    const stream = fc.array(piece, { maxLength: 60 }).map((pieces) => Buffer.from(pieces.join('')));
    fc.assert(
      fc.property(stream, fc.array(fc.nat(), { maxLength: 12 }), (bytes, places) => {
        const whole = readAll([bytes]);
        expect(readAll(cutAt(bytes, places))).toEqual(whole);
        const raw = whole.map((event) => event.raw).join('');
        expect(raw.slice(0, bytes.length)).toBe(bytes.toString('latin1'));
        expect(['', '\n\n']).toContain(raw.slice(bytes.length));
      }),
      { numRuns: 2_000 },
    );
  });

  test('does not write to the chunks it was given, nor to the events it gave', () => {
    const parser = new SseParser({ maxEventBytes: 1_000 });
    const first = Buffer.from('data: one\n\ndata: t');
    const copy = Buffer.from(first);
    const given = parser.push(first);
    const more = parser.push(Buffer.from('wo\n\ndata: th'));
    parser.push(Buffer.from('ree\n\n'));
    expect(first).toEqual(copy);
    expect([...given.events, ...more.events].map((event) => event.data?.toString())).toEqual(['one', 'two']);
  });

  test.each([['data: 123456789\n\n'], ['data: 12345678901234567890'], ['data: 1\r\ndata: 2345678\r\n\r\n']])(
    'refuses an event above the limit, %j, and gives those before it',
    (text) => {
      const parser = new SseParser({ maxEventBytes: 16 });
      const result = parser.push(Buffer.from(`data: ok\n\n${text}`));
      expect(result).toMatchObject({ ok: false, kind: 'event_too_large', maxEventBytes: 16 });
      expect(result.events.map((event) => event.data?.toString())).toEqual(['ok']);
      expect(parser.push(Buffer.from('data: later\n\n'))).toMatchObject({ ok: false, events: [] });
      expect(parser.end()).toBeUndefined();
    },
  );

  test('accepts an event of exactly the limit, byte by byte', () => {
    const parser = new SseParser({ maxEventBytes: 16 });
    const events = [...Buffer.from('data: 12345678\n\n')].flatMap((byte) => parser.push(Buffer.of(byte)).events);
    expect(events.map((event) => event.data?.toString())).toEqual(['12345678']);
  });
});

describe('encodeSseEvent', () => {
  test('decodes to the same data and type, with line feeds for all line ends', () => {
    const type = fc.constantFrom('', 'message_start', 'error');
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', 'é', '\n', '\r', ':', ' ', '{') }), type, (data, name) => {
        const [event, ...others] = readAll([encodeSseEvent(data, name), encodeSseComment('ping')]);
        expect(event).toMatchObject({ data: data.replaceAll(/\r\n|\r/g, '\n'), type: name });
        expect(others.map((other) => other.data)).toEqual([undefined]);
      }),
    );
  });

  test('writes a common event as providers do', () => {
    expect(encodeSseEvent('{"a":1}').toString()).toBe('data: {"a":1}\n\n');
  });
});
