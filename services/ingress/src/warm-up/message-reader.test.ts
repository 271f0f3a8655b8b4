import { expect, it } from 'vitest';
import { MessageReader } from './message-reader.ts';

const BUFFERED = 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody';
const CHUNKED = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n';

it.each([
  ['a length', BUFFERED],
  ['chunks', CHUNKED],
])('returns messages with %s once they are complete, wherever they are split', (_, message) => {
  const reader = new MessageReader();
  for (const at of Array.from(message, (_character, index) => index).slice(1)) {
    expect(reader.read(Buffer.from(message.slice(0, at)))).toBeUndefined();
    expect(reader.read(Buffer.from(message.slice(at)))).toBe(message);
  }
});
