import { loadConfig } from '@tollgate/common/config';
import { ACTOR_SETTINGS } from '@tollgate/common/testing/actors';
import { describe, expect, it } from 'vitest';
import { configSchema, webhookTarget } from './config.ts';

const REQUIRED = {
  DATABASE_URL: 'postgres://tollgate@127.0.0.1/tollgate',
  AUTH_ADDRESS: '127.0.0.1:50051',
  ...ACTOR_SETTINGS,
};
const SECRET = `whsec_${Buffer.alloc(24, 1).toString('base64')}`;

function config(env: Record<string, string>) {
  return loadConfig(configSchema, { ...REQUIRED, ...env });
}

describe('low-balance thresholds', () => {
  it('are comma-separated dollars, none by default', () => {
    expect(config({}).LOW_BALANCE_THRESHOLDS).toEqual([]);
    expect(config({ LOW_BALANCE_THRESHOLDS: '' }).LOW_BALANCE_THRESHOLDS).toEqual([]);
    expect(config({ LOW_BALANCE_THRESHOLDS: '10, 2.50,0,10' }).LOW_BALANCE_THRESHOLDS).toEqual([
      10_000_000_000n,
      2_500_000_000n,
      0n,
    ]);
  });

  it.each(['ten', '1,,2', '-1', '0.0000000001', '1,2,3,4,5,6,7,8,9,10,11'])(
    'are refused where unreadable: %s',
    (text) => {
      expect(() => config({ LOW_BALANCE_THRESHOLDS: text })).toThrow('LOW_BALANCE_THRESHOLDS');
    },
  );
});

describe('a webhook', () => {
  it('needs an address and secrets, and there is none by default', () => {
    expect(webhookTarget(config({}))).toBeUndefined();
    const target = webhookTarget(
      config({ WEBHOOK_URL: 'https://example.com/hook', WEBHOOK_SECRET: `${SECRET},${SECRET}` }),
    );
    expect(target).toEqual({
      url: 'https://example.com/hook',
      secrets: [Buffer.alloc(24, 1), Buffer.alloc(24, 1)],
      timeoutMs: 15_000,
    });
    expect(() => config({ WEBHOOK_URL: 'https://example.com/hook' })).toThrow('WEBHOOK_SECRET: is required');
  });

  it.each(['ftp://example.com', 'example.com', 'https://user:word@example.com'])('refuses the address %s', (url) => {
    expect(() => config({ WEBHOOK_URL: url, WEBHOOK_SECRET: SECRET })).toThrow('WEBHOOK_URL');
  });

  it.each([
    'secret',
    SECRET.slice('whsec_'.length),
    `whsec_${Buffer.alloc(23).toString('base64')}`,
    `whsec_${Buffer.alloc(65).toString('base64')}`,
    `${SECRET},`,
  ])('refuses the secret %s, and does not show it', (secret) => {
    const refused = () => config({ WEBHOOK_URL: 'https://example.com', WEBHOOK_SECRET: secret });
    expect(refused).toThrow('WEBHOOK_SECRET: must be');
    expect(refused).not.toThrow(secret);
  });
});
