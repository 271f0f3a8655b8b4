import type { DecodeContext, WholeReading } from '../protocol.ts';

export function decodeResponse(_body: Buffer, _context: DecodeContext): WholeReading {
  return { kind: 'malformed', problem: 'the answer has no content' };
}
