import { describe, expect, it } from 'vitest';
import { TrustedProxies } from './trusted-proxies.ts';

function parsed(text: string): TrustedProxies {
  const proxies = TrustedProxies.parse(text);
  if (typeof proxies === 'string') throw new Error(`not read: ${proxies}`);
  return proxies;
}

describe('the client of a request', () => {
  const proxies = parsed('10.0.0.0/8, 2001:db8::/32,192.0.2.1');
  it.each([
    ['whoever connected, as nobody is trusted by default', parsed(''), '10.0.0.1', '203.0.113.9', '10.0.0.1'],
    ['whoever connected, where that is no trusted proxy', proxies, '198.51.100.1', '203.0.113.9', '198.51.100.1'],
    ['the proxy itself, where it names nobody', proxies, '10.0.0.1', undefined, '10.0.0.1'],
    ['whom the proxy names', proxies, '10.0.0.1', '203.0.113.9', '203.0.113.9'],
    ['whom the first of several proxies names', proxies, '10.0.0.1', '203.0.113.9, 192.0.2.1', '203.0.113.9'],
    ['not what the client wrote itself', proxies, '10.0.0.1', '127.0.0.1, 203.0.113.9', '203.0.113.9'],
    ['not what cannot be read', proxies, '10.0.0.1', '203.0.113.9, unknown', '10.0.0.1'],
    ['the last that can be read', proxies, '10.0.0.1', 'nonsense, 10.0.0.2', '10.0.0.2'],
    ['without its port', proxies, '::ffff:10.0.0.1', '203.0.113.9:4711', '203.0.113.9'],
    ['of IPv6, too', proxies, '2001:db8::1', '[2001:dead::9]:4711', '2001:dead::9'],
    ['of IPv6 without brackets', proxies, '2001:db8::1', '2001:dead::9', '2001:dead::9'],
    ['beside a proxy by its single address', proxies, '192.0.2.2', '203.0.113.9', '192.0.2.2'],
  ])('is %s', (_, list, peer, forwardedFor, client) => {
    expect(list.clientOf(peer, forwardedFor)).toBe(client);
  });

  it('is found in a long list without reading all of it', () => {
    const list = `203.0.113.9, ${'10.0.0.7, '.repeat(1_000)}10.0.0.8`;
    expect(proxies.clientOf('10.0.0.1', list)).toBe('10.0.0.7');
  });
});

it.each([
  '10.0.0.0/33',
  '2001:db8::/129',
  '10.0.0.0/',
  '10.0.0.0/8/8',
  'proxy.example',
  '10.0.0',
  'fe80::1%eth0/64',
  '/8',
])('%s is not taken for a proxy', (text) => {
  expect(TrustedProxies.parse(`10.1.0.0/16,${text}`)).toBe(text);
});
