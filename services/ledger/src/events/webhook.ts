import { Webhook } from 'standardwebhooks';
import type { EventType } from '../store/events.ts';

/** Where events are sent. */
export interface WebhookTarget {
  url: string;
  /** The current one first. Messages are signed with each, so that receivers can rotate theirs. */
  secrets: readonly Buffer[];
  /** Maximum time until the receiver's response, milliseconds. */
  timeoutMs: number;
}

export interface WebhookMessage {
  eventId: string;
  type: EventType;
  payload: object;
  createdAtMs: bigint;
}

/** The result of one attempt. `gone`: the receiver wants no further attempt. */
export type WebhookResult = { delivered: true } | { delivered: false; error: string; gone: boolean };

const GONE = 410;

/** The body of a message: the same bytes for each attempt. */
export function webhookBody(message: WebhookMessage): string {
  const timestamp = new Date(Number(message.createdAtMs)).toISOString();
  return JSON.stringify({ type: message.type, timestamp, data: message.payload });
}

/** The value of `webhook-signature` by Standard Webhooks: a signature for each secret. */
export function webhookSignature(secrets: readonly Buffer[], eventId: string, sentAt: Date, body: string): string {
  return secrets.map((secret) => new Webhook(secret, { format: 'raw' }).sign(eventId, sentAt, body)).join(' ');
}

/**
 * Sends a message once. Anything but a 2xx response in time is a failure. Redirects are not followed, and response bodies
 * are not read.
 *
 * @param signal aborts the attempt
 */
export async function sendWebhook(
  target: WebhookTarget,
  message: WebhookMessage,
  nowMs: number,
  signal: AbortSignal,
): Promise<WebhookResult> {
  const body = webhookBody(message);
  const timestamp = Math.floor(nowMs / 1_000);
  const timeout = AbortSignal.timeout(target.timeoutMs);
  try {
    const response = await fetch(target.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'tollgate',
        'webhook-id': message.eventId,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': webhookSignature(target.secrets, message.eventId, new Date(nowMs), body),
      },
      body,
      redirect: 'manual',
      signal: AbortSignal.any([timeout, signal]),
    });
    await response.body?.cancel();
    if (response.status >= 200 && response.status < 300) return { delivered: true };
    return { delivered: false, error: `HTTP status ${response.status}`, gone: response.status === GONE };
  } catch (error) {
    if (timeout.aborted) return failed(`no response within ${target.timeoutMs} ms`);
    return failed(reasonOf(error));
  }
}

function failed(error: string): WebhookResult {
  return { delivered: false, error, gone: false };
}

/** The code of a fetch failure, such as ECONNREFUSED. Its message may quote the URL, which may contain a secret. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined;
  return code ?? 'the request failed';
}
