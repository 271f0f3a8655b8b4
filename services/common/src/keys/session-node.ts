import { createHash } from 'node:crypto';
import { dashTraceId } from '../ids.ts';

/** The node of a session, as clients name it, of a key: a UUIDv8 (RFC 9562), which everybody computes alike. */
export function sessionNodeId(keyId: string, name: string): string {
  const hash = createHash('sha256').update(`${keyId}/${name}`).digest();
  hash[6] = 0x80 | (hash.readUInt8(6) & 0x0f);
  hash[8] = 0x80 | (hash.readUInt8(8) & 0x3f);
  return dashTraceId(hash.toString('hex', 0, 16));
}
