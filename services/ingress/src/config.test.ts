import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { readConfig } from './config.ts';

const REQUIRED = {
  AUTH_ADDRESS: 'auth:50051',
  LEDGER_ADDRESS: 'ledger:50051',
  ROUTER_ADDRESS: 'router:50051',
  REDIS_URL: 'redis://redis',
  JOURNAL_DIR: '/journal',
  RECHARGE_URL: 'https://pay.example.com/top-up',
};

describe('ITEM_STORE_KEY', () => {
  const keysOf = (text: string) => readConfig({ ...REQUIRED, ITEM_STORE_KEY: text }).ITEM_STORE_KEY;

  it('is one key, or several separated by commas in their order', () => {
    const [first, second] = [randomBytes(32), randomBytes(32)];
    expect(keysOf(first.toString('base64'))).toEqual([first]);
    expect(keysOf(`${first.toString('base64')}, ${second.toString('base64')}`)).toEqual([first, second]);
    expect(keysOf('')).toBeUndefined();
  });

  it.each([
    randomBytes(16).toString('base64'),
    `${randomBytes(32).toString('base64')},`,
    `${randomBytes(32).toString('base64')},not base64!`,
  ])('refuses %s by its name', (text) => {
    expect(() => keysOf(text)).toThrow('ITEM_STORE_KEY');
  });
});
