import type { CanonicalResponse } from '../canonical/response.ts';
import type { AnswerContext, FinalUsage } from '../protocol.ts';

export function encodeResponse(_response: CanonicalResponse, _final: FinalUsage, _context: AnswerContext): Buffer {
  return Buffer.alloc(0);
}
