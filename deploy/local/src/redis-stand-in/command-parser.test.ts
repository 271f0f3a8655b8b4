import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CommandParser, RespError } from './command-parser.ts';
import { encodeReply } from './encode-reply.ts';

function cut(bytes: Buffer, at: number[]): Buffer[] {
  const places = [...new Set(at.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...places].map((start, index) => bytes.subarray(start, places[index] ?? bytes.length));
}

describe('CommandParser', () => {
  it('reads the same commands wherever the bytes are cut', () => {
    const text = fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes));
    const commands = fc.array(fc.array(text, { minLength: 1, maxLength: 5 }), { maxLength: 6 });
    fc.assert(
      fc.property(commands, fc.array(fc.nat(), { maxLength: 12 }), (sent, at) => {
        const parser = new CommandParser();
        const read = cut(Buffer.concat(sent.map(encodeReply)), at).flatMap((chunk) => parser.push(chunk));
        expect(read).toEqual(sent);
      }),
    );
  });

  it('reads inline commands among the others', () => {
    const parser = new CommandParser();
    const read = parser.push(Buffer.from('PING\r\n\r\n*1\r\n$4\r\nTIME\r\n  GET  a \n'));
    expect(read.map((command) => command.map(String))).toEqual([['PING'], ['TIME'], ['GET', 'a']]);
  });

  it.each([
    '*1\r\n+OK\r\n',
    '*-1\r\n',
    '*1\r\n$99999999999\r\n',
    '*1\r\n$-1\r\n',
    '*1\r\n$1\r\nabc\r\n',
    '*99999\r\n',
    `${'x'.repeat(70_000)}`,
  ])('refuses %j', (bytes) => {
    expect(() => new CommandParser().push(Buffer.from(bytes))).toThrow(RespError);
  });
});
