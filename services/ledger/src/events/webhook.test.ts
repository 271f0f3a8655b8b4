import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { isSigned } from '../../testing/webhook-receiver.ts';
import { delayAfter } from '../jobs/deliver-events.ts';
import { webhookBody, webhookSignature } from './webhook.ts';

const PAGE = readFileSync(new URL('../../../../docs/operations/money.md', import.meta.url), 'utf8');

/** The first block of the page in a language. */
function block(language: string): string {
  const text = new RegExp(`\`\`\`${language}\n([^]*?)\n\`\`\``).exec(PAGE)?.[1];
  if (text === undefined) throw new Error(`docs/operations/money.md has no block of ${language}`);
  return text;
}

describe('the example of docs/operations/money.md', () => {
  const [head = '', body = ''] = block('http').split('\n\n');
  const headers = Object.fromEntries(head.split('\n').map((line) => line.split(': ')));
  const secret = /whsec_[A-Za-z0-9+/=]{20,}/.exec(PAGE)?.[0] ?? '';
  const time = Number(headers['webhook-timestamp']);

  it('is what would be sent', () => {
    const { type, timestamp, data } = JSON.parse(body);
    const message = { eventId: headers['webhook-id'], type, payload: data, createdAtMs: BigInt(Date.parse(timestamp)) };
    expect(webhookBody(message)).toBe(body);
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
    expect(webhookSignature([key], message.eventId, new Date(time * 1_000), body)).toBe(headers['webhook-signature']);
    expect(isSigned({ headers, body }, secret)).toBe(true);
  });

  it('passes the check the page gives, and nothing else does', async () => {
    const { isOurs } = await import(`data:text/javascript,${encodeURIComponent(block('js'))}`);
    expect(isOurs(headers, body, secret, time)).toBe(true);
    expect(isOurs(headers, body, secret, time + 301)).toBe(false);
    expect(isOurs(headers, `${body} `, secret, time)).toBe(false);
    expect(isOurs({ ...headers, 'webhook-id': 'other' }, body, secret, time)).toBe(false);
    expect(isOurs({ ...headers, 'webhook-signature': 'v1,AAAA' }, body, secret, time)).toBe(false);
    const rotated = `v1,${Buffer.alloc(32).toString('base64')} ${headers['webhook-signature']}`;
    expect(isOurs({ ...headers, 'webhook-signature': rotated }, body, secret, time)).toBe(true);
  });
});

describe('the delays between attempts', () => {
  it('are those of docs/operations/money.md', () => {
    const documented = [5, 30, 120, 600, 1_800, 3_600, 7_200, 14_400, 21_600, 36_000].map((seconds) => seconds * 1_000);
    const delays = documented.map((_, index) => delayAfter(index + 1, 0));
    expect(delays).toEqual(documented);
    expect(delayAfter(documented.length + 1, 0)).toBeUndefined();
  });

  it('are at most a tenth shorter', () => {
    expect(delayAfter(2, 0.999_999)).toBe(27_000);
  });
});
