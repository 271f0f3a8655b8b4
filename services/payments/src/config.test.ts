import { PaymentMode } from '@tollgate/proto/payments';
import { describe, expect, it } from 'vitest';
import { testSettings } from '../testing/serve-payments.ts';
import { modeOf, readConfig } from './config.ts';

const read = (changes: Record<string, string> = {}) =>
  readConfig(testSettings({ DATABASE_URL: 'postgres://x@127.0.0.1/x', LEDGER_ADDRESS: '127.0.0.1:1', ...changes }));

describe('settings of payments', () => {
  it('have defaults', () => {
    expect(read()).toMatchObject({
      PORT: 0,
      STRIPE_TAX: false,
      PAYMENT_MIN: 5_000_000_000n,
      PAYMENT_MAX: 5_000_000_000_000n,
      PAYMENT_DAILY_LIMIT: 500_000_000_000n,
      PAYMENT_AMOUNTS: [20n, 50n, 100n, 500n].map((dollars) => dollars * 1_000_000_000n),
    });
  });

  it('take several webhook secrets, and amounts in any order', () => {
    const config = read({ STRIPE_WEBHOOK_SECRET: 'whsec_newsecret, whsec_oldsecret', PAYMENT_AMOUNTS: '50,7.50' });
    expect(config.STRIPE_WEBHOOK_SECRET).toEqual(['whsec_newsecret', 'whsec_oldsecret']);
    expect(config.PAYMENT_AMOUNTS).toEqual([7_500_000_000n, 50_000_000_000n]);
  });

  it.each([
    ['STRIPE_SECRET_KEY', 'pk_live_abc'],
    ['STRIPE_WEBHOOK_SECRET', 'whsec_newsecret,'],
    ['STRIPE_API_URL', 'https://stand-in.example.com/path'],
    ['CONSOLE_URL', 'console.example.com'],
    ['PAYMENT_MIN', '0'],
    ['PAYMENT_MIN', '5.001'],
    ['PAYMENT_MAX', '4'],
    ['PAYMENT_AMOUNTS', '20,x'],
    ['PAYMENT_AMOUNTS', '1'],
    ['PAYMENT_AMOUNTS', '50,7.50,50'],
    ['PAYMENT_DAILY_LIMIT', '-1'],
  ])('refuse %s=%s', (name, value) => {
    expect(() => read({ [name]: value })).toThrow(`  ${name}: `);
  });

  it('say by the key whether money moves', () => {
    expect(modeOf(read())).toBe(PaymentMode.TEST);
    expect(modeOf(read({ STRIPE_SECRET_KEY: 'rk_live_abc' }))).toBe(PaymentMode.LIVE);
    const standIn = { STRIPE_SECRET_KEY: 'sk_live_abc', STRIPE_API_URL: 'http://127.0.0.1:1' };
    expect(modeOf(read(standIn))).toBe(PaymentMode.SIMULATED);
  });
});
