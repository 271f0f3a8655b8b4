import type { IncomingMessage } from 'node:http';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clientAddress, clientNetwork, networkOf, parseTrustedProxies } from './client-network.ts';

function parsed(text: string) {
  const trusted = parseTrustedProxies(text);
  if (trusted === undefined) throw new Error(`not valid: ${text}`);
  return trusted;
}

function request(remoteAddress: string | undefined, forwardedFor?: string): IncomingMessage {
  const headers = forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor };
  return { socket: { remoteAddress }, headers } as IncomingMessage;
}

describe('the client of a request', () => {
  const proxies = parsed('10.0.0.0/8, 2001:db8::/32,192.0.2.1');
  it.each([
    ['the peer, as nobody is trusted by default', parsed(''), '10.0.0.1', '203.0.113.9', '10.0.0.1'],
    ['the peer, unless it is a trusted proxy', proxies, '198.51.100.1', '203.0.113.9', '198.51.100.1'],
    ['the proxy itself, if it names nobody', proxies, '10.0.0.1', undefined, '10.0.0.1'],
    ['the address that the proxy names', proxies, '10.0.0.1', '203.0.113.9', '203.0.113.9'],
    [
      'the address that the first of several proxies names',
      proxies,
      '10.0.0.1',
      '203.0.113.9, 192.0.2.1',
      '203.0.113.9',
    ],
    ['not what the client wrote itself', proxies, '10.0.0.1', '127.0.0.1, 203.0.113.9', '203.0.113.9'],
    ['not what is no address', proxies, '10.0.0.1', '203.0.113.9, unknown', '10.0.0.1'],
    ['the last that is an address', proxies, '10.0.0.1', 'nonsense, 10.0.0.2', '10.0.0.2'],
    ['read without its port', proxies, '::ffff:10.0.0.1', '203.0.113.9:4711', '203.0.113.9'],
    ['found behind a proxy with its port', proxies, '10.0.0.1', '203.0.113.9, 192.0.2.1:4711', '203.0.113.9'],
    ['found behind an IPv4-mapped proxy', proxies, '10.0.0.1', '203.0.113.9, ::ffff:10.0.0.2', '203.0.113.9'],
    ['an IPv6 address, too', proxies, '2001:db8::1', '[2001:dead::9]:4711', '2001:dead::9'],
    ['an IPv6 address without brackets', proxies, '2001:db8::1', '2001:dead::9', '2001:dead::9'],
    ['the neighbour of a proxy of a single address', proxies, '192.0.2.2', '203.0.113.9', '192.0.2.2'],
    ['found with a network of all addresses', parsed('0.0.0.0/0'), '192.0.2.2', '2001:dead::9', '2001:dead::9'],
  ])('is %s', (_, trusted, peer, forwardedFor, client) => {
    expect(clientAddress(request(peer, forwardedFor), trusted)).toBe(client);
  });

  it('is found in a long list without following all of it', () => {
    const list = `203.0.113.9, ${'10.0.0.7, '.repeat(1_000)}10.0.0.8`;
    expect(clientAddress(request('10.0.0.1', list), proxies)).toBe('10.0.0.7');
  });

  it('is unknown once its connection is closed', () => {
    expect(clientNetwork(request(undefined), proxies)).toBe('unknown');
    expect(clientAddress(request(undefined, '203.0.113.9'), proxies)).toBe('');
  });
});

it.each([
  '10.0.0.0/33',
  '2001:db8::/129',
  '10.0.0.0/',
  '10.0.0.0/8/8',
  '10.0.0.0/255.0.0.0',
  'proxy.example',
  '10.0.0',
  'fe80::1%eth0/64',
  '/8',
])('%s is not a valid proxy', (text) => {
  expect(parseTrustedProxies(`10.1.0.0/16,${text}`)).toBeUndefined();
});

describe('the network of an address', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::ffff:c000:207', '192.0.2.7'],
    ['0:0:0:0:0:ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::', '2001:db8:1:2::/64'],
    ['2001:db8::5', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['64:ff9b::192.0.2.7', '64:ff9b:0:0::/64'],
    ['2001:db8::2:3:4:5:6', '2001:db8:0:2::/64'],
    ['host.example', 'host.example'],
    ['', ''],
    ['1.2.3', '1.2.3'],
  ])('of %s is %s', (text, network) => {
    expect(networkOf(text)).toBe(network);
  });

  it('is the same however an IPv6 address is written', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 0xffff }), { minLength: 8, maxLength: 8 }), (groups) => {
        const long = groups.map((group) => group.toString(16).padStart(4, '0')).join(':');
        const short = new URL(`http://[${long}]/`).hostname.slice(1, -1);
        expect(clientNetwork(request(short), parsed(''))).toBe(clientNetwork(request(long), parsed('')));
      }),
    );
  });

  it('of an IPv4 address is the address', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        expect(networkOf(address)).toBe(address);
        expect(networkOf(`::ffff:${address}`)).toBe(address);
      }),
    );
  });
});
