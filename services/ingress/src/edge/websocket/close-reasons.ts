import { KEY_MESSAGES } from '../../shared/errors/key-refusals.ts';
import type { KeyRefusalReason } from '../authenticate/index.ts';

/** Why this side closes a WebSocket. */
export interface CloseReason {
  /** For logs. */
  readonly name: string;
  /** RFC 6455, section 7.4.1, and the registry of IANA. */
  readonly code: number;
  /** At most 123 bytes. */
  readonly text: string;
}

export const CLOSE = {
  idle: { name: 'idle', code: 1000, text: 'The connection was idle. Connect again.' },
  lifetime: { name: 'lifetime', code: 1000, text: 'The connection has reached its maximum duration. Connect again.' },
  stopping: { name: 'stopping', code: 1001, text: 'This server is stopping. Connect again.' },
  binary: { name: 'binary', code: 1003, text: 'Only text messages are supported.' },
  tooMany: { name: 'too_many_messages', code: 1008, text: 'Too many messages came at once. Wait for each response.' },
  noMemory: { name: 'no_memory', code: 1013, text: 'There is no memory for the message at the moment. Retry shortly.' },
} as const satisfies Record<string, CloseReason>;

/** The reason of a socket whose key is no longer active. */
export function closeForKey(reason: KeyRefusalReason): CloseReason {
  return { name: `key_${reason}`, code: 1008, text: KEY_MESSAGES[reason] };
}
