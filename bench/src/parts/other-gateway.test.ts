import { expect, it } from 'vitest';
import { otherGateway } from './other-gateway.ts';

const KEY = { GATEWAY_KEY: 'key' };

it('is one on this machine, by address and key', () => {
  const settings = {
    ...KEY,
    GATEWAY: 'http://127.0.0.1:8787/',
    GATEWAY_PIDS: '12, 13',
    GATEWAY_HEADERS: '{"x-provider":"openai"}',
    GATEWAY_MODEL: 'm',
    UPSTREAM_PORT: '7000',
  };
  expect(otherGateway(settings)).toEqual({
    route: {
      name: 'gateway',
      route: { origin: 'http://127.0.0.1:8787', keys: ['key'], headers: ['x-provider', 'openai'] },
      processes: [
        { name: 'process 12', pid: 12, counts: true },
        { name: 'process 13', pid: 13, counts: true },
      ],
    },
    model: 'm',
    upstreamPort: 7_000,
  });
});

it('is absent by default', () => {
  expect(otherGateway({})).toBeUndefined();
  expect(otherGateway({ GATEWAY: '' })).toBeUndefined();
});

it.each([
  ['GATEWAY', { ...KEY, GATEWAY: 'http://gateway.example:80' }],
  ['GATEWAY', { ...KEY, GATEWAY: 'https://127.0.0.1' }],
  ['GATEWAY', { ...KEY, GATEWAY: 'nothing' }],
  ['GATEWAY_KEY', { GATEWAY: 'http://localhost:80' }],
  ['GATEWAY_HEADERS', { ...KEY, GATEWAY: 'http://localhost:80', GATEWAY_HEADERS: 'x-provider: openai' }],
  ['GATEWAY_HEADERS', { ...KEY, GATEWAY: 'http://localhost:80', GATEWAY_HEADERS: '{"x":1}' }],
  ['GATEWAY_PIDS', { ...KEY, GATEWAY: 'http://localhost:80', GATEWAY_PIDS: '1,x' }],
  ['UPSTREAM_PORT', { ...KEY, GATEWAY: 'http://localhost:80', UPSTREAM_PORT: '0' }],
])('rejects a wrong %s: %o', (name, settings) => {
  expect(() => otherGateway(settings)).toThrow(new RegExp(`^${name}: `));
});
