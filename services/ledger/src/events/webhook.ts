import { createHmac } from 'node:crypto';
import type { EventType } from '../store/events.ts';

/** Where events are sent. */
export interface WebhookTarget {
  url: string;
  /** The one in use first; a signature is made with each, so that receivers can change over. */
  secrets: readonly Buffer[];
  /** Longest a receiver may take to answer. */
  timeoutMs: number;
}

export interface WebhookMessage {
  eventId: string;
  type: EventType;
  payload: object;
  createdAtMs: bigint;
}

/** What became of one try. `gone`: the receiver wants no more of it. */
export type WebhookResult = { delivered: true } | { delivered: false; error: string; gone: boolean };

const GONE = 410;

/** The body of a message: the same bytes at each try. */
export function webhookBody(message: WebhookMessage): string {
  const timestamp = new Date(Number(message.createdAtMs)).toISOString();
  return JSON.stringify({ type: message.type, timestamp, data: message.payload });
}

/** The value of `webhook-signature` after Standard Webhooks: an HMAC-SHA256 of id, time and body for each secret. */
export function webhookSignature(
  secrets: readonly Buffer[],
  eventId: string,
  timestampSeconds: number,
  body: string,
): string {
  return secrets
    .map((secret) => {
      const mac = createHmac('sha256', secret).update(`${eventId}.${timestampSeconds}.${body}`).digest('base64');
      return `v1,${mac}`;
    })
    .join(' ');
}

/**
 * Sends one message once. Anything but an answer of 2xx in time is a failure; redirects are not followed, and no answer's
 * body is read.
 *
 * @param signal ends the try
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
        'webhook-signature': webhookSignature(target.secrets, message.eventId, timestamp, body),
      },
      body,
      redirect: 'manual',
      signal: AbortSignal.any([timeout, signal]),
    });
    await response.body?.cancel();
    if (response.status >= 200 && response.status < 300) return { delivered: true };
    return { delivered: false, error: `HTTP status ${response.status}`, gone: response.status === GONE };
  } catch (error) {
    if (timeout.aborted) return failed(`no answer within ${target.timeoutMs} ms`);
    return failed(reasonOf(error));
  }
}

function failed(error: string): WebhookResult {
  return { delivered: false, error, gone: false };
}

/** What fetch failed with: a code such as ECONNREFUSED. Its messages may quote the URL, which may hold a secret. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined;
  return code ?? 'the request failed';
}
