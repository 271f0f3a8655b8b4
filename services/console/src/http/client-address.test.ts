import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { clientAddress, networkOf, parseTrustedProxies } from './client-address.ts';

/** The address of a client, by the peer of the connection and what X-Forwarded-For says. */
function addressOf(peer: string | undefined, forwarded: string | undefined, trusted: string): string {
  const proxies = parseTrustedProxies(trusted);
  if (proxies === undefined) throw new Error(`not readable: ${trusted}`);
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
  return clientAddress({ socket: { remoteAddress: peer }, headers } as IncomingMessage, proxies);
}

describe('the address of a client', () => {
  it.each([
    ['without trusted proxies: the peer', '203.0.113.9', '198.51.100.1', '', '203.0.113.9'],
    ['from a peer that is no trusted proxy: the peer', '203.0.113.9', '198.51.100.1', '10.0.0.0/8', '203.0.113.9'],
    ['behind a proxy', '10.0.0.2', '198.51.100.1', '10.0.0.0/8', '198.51.100.1'],
    ['behind two proxies', '10.0.0.2', '198.51.100.1, 10.1.0.3', '10.0.0.0/8', '198.51.100.1'],
    ['that writes entries itself', '10.0.0.2', '192.0.2.7, 198.51.100.1', '10.0.0.0/8', '198.51.100.1'],
    ['that writes a trusted address', '10.0.0.2', '10.0.0.9, 198.51.100.1', '10.0.0.0/8', '198.51.100.1'],
    ['behind a proxy that adds nothing', '10.0.0.2', undefined, '10.0.0.0/8', '10.0.0.2'],
    ['whose entry is not an address', '10.0.0.2', 'unknown', '10.0.0.0/8', '10.0.0.2'],
    ['in IPv6', 'fd00::2', '2001:db8::1', 'fd00::/8', '2001:db8::1'],
    ['in IPv4 on an IPv6 socket', '::ffff:203.0.113.9', undefined, '', '203.0.113.9'],
    ['behind a proxy in IPv4 on an IPv6 socket', '::ffff:10.0.0.2', '198.51.100.1', '10.0.0.0/8', '198.51.100.1'],
    ['that has left: none', undefined, '198.51.100.1', '10.0.0.0/8', ''],
  ])('%s', (_, peer, forwarded, trusted, expected) => {
    expect(addressOf(peer, forwarded, trusted)).toBe(expected);
  });

  it('is searched in a chain of limited length', () => {
    const chain = ['198.51.100.1', ...Array.from({ length: 30 }, (_, index) => `10.0.1.${index}`)].join(', ');
    expect(addressOf('10.0.0.2', chain, '10.0.0.0/8')).toMatch(/^10\.0\.1\./);
  });

  it.each(['proxy', '10.0.0.0/33', '10.0.0.1,,x', 'true'])('needs addresses of proxies: %s is refused', (text) => {
    expect(parseTrustedProxies(text)).toBeUndefined();
  });
});

describe('the network of an address', () => {
  it.each([
    ['203.0.113.9', '203.0.113.9'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::6', '2001:db8:1:2::/64'],
    ['2001:0db8:0001:0002::', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:db8::2:3:4:5:6', '2001:db8:0:2::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['', ''],
  ])('%s is %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});
