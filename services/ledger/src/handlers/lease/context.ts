import type { Send } from './lease.ts';

/** Tells an ingress that its session is not to be used any more. */
export function sendFenced(sessionId: string, send: Send): Promise<void> {
  return send({
    $case: 'fenced',
    value: { sessionId, reason: 'the session was closed, expired, or is older than a restore of the database' },
  });
}
