import type { EncodeNotes } from '../canonical/encode-notes.ts';
import type { CanonicalRequest } from '../canonical/request.ts';
import type { JsonRecord } from '../json/record.ts';
import type { EncodeTarget } from '../protocol.ts';

export function encodeRequest(_request: CanonicalRequest, _target: EncodeTarget, notes: EncodeNotes): JsonRecord {
  notes.refuse('model', 'not offered through this protocol');
  return {};
}
