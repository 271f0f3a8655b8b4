import type { CanonicalReading } from '../protocol.ts';
import type { ReadRequest } from './request/read.ts';

export function decodeRequest(_read: ReadRequest): CanonicalReading {
  return { ok: false, error: { path: 'model', message: 'model: not offered through this protocol' } };
}
