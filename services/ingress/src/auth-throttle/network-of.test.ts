import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { networkOf, plainAddress } from './network-of.ts';

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
    ['host.example', undefined],
    ['', undefined],
    ['1.2.3', undefined],
  ])('of %s is %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });

  it('is the same however an IPv6 address is written', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 0xffff }), { minLength: 8, maxLength: 8 }), (groups) => {
        const long = groups.map((group) => group.toString(16).padStart(4, '0')).join(':');
        const short = new URL(`http://[${long}]/`).hostname.slice(1, -1);
        expect(networkOf(short)).toBe(networkOf(long));
      }),
    );
  });

  it('plain addresses stay as they are', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        expect(plainAddress(address)).toBe(address);
        expect(plainAddress(`::ffff:${address}`)).toBe(address);
      }),
    );
  });
});
