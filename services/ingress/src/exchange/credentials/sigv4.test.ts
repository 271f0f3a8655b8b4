import { randomBytes } from 'node:crypto';
import { type ArrivedRequest, signatureProblem } from '@tollgate/test-support/clouds/verify-sigv4';
import { describe, expect, it } from 'vitest';
import { pausesFor } from '../../shared/scheduling.ts';
import { signatureHeaders } from './sigv4.ts';

const KEYS = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret/with+characters', sessionToken: 'session==' };
const NOW = Date.UTC(2026, 10, 24, 3, 0, 0);
const PLACE = { region: 'eu-west-1', service: 'bedrock' };

async function sign(
  body: Buffer,
  path = '/openai/v1/chat/completions',
  keys: typeof KEYS | { accessKeyId: string; secretAccessKey: string } = KEYS,
  pause = pausesFor(body.length),
) {
  const headers = { 'content-type': 'application/json', traceparent: '00-1' };
  const call = { origin: 'https://bedrock.example:8443', path, headers, body };
  const signed = await signatureHeaders(call, { ...PLACE, keys }, new Date(NOW), pause);
  return { method: 'POST', url: path, headers: { ...headers, ...signed }, body };
}

function problemOf(request: ArrivedRequest, keys: { secretAccessKey: string; sessionToken?: string } = KEYS) {
  return signatureProblem(request, { ...PLACE, keys: () => keys, nowMs: NOW });
}

describe('signatureHeaders', () => {
  it('signs the address and the exact body, also of a large one', async () => {
    for (const size of [0, 1, 512 * 1024, 3_000_001]) expect(problemOf(await sign(randomBytes(size)))).toBeUndefined();
    const request = await sign(Buffer.from('{"model":"m"}'));
    expect(problemOf({ ...request, body: Buffer.from('{"model":"n"}') })).toBe('other body');
    expect(problemOf({ ...request, url: '/openai/v1/responses' })).toBe('wrong signature');
    expect(problemOf({ ...request, headers: { ...request.headers, host: 'other.example' } })).toBe('wrong signature');
  });

  it('signs names with a colon, and a query', async () => {
    for (const path of ['/model/anthropic.claude-v1%3A0/invoke', '/v1/responses?a=b%20c&A=%C3%A9']) {
      expect(problemOf(await sign(Buffer.from('{}'), path))).toBeUndefined();
    }
  });

  it('sends the session token of temporary keys only', async () => {
    const keys = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'other' };
    const request = await sign(Buffer.from('{}'), undefined, keys);
    expect(problemOf(request, keys)).toBeUndefined();
    expect(request.headers).not.toHaveProperty('x-amz-security-token');
  });

  it('pauses after each half MiB of a body of 32 MiB', async () => {
    let pauses = 0;
    await sign(randomBytes(32 * 1024 * 1024), undefined, KEYS, async () => {
      pauses += 1;
    });
    expect(pauses).toBe(63);
  });
});
