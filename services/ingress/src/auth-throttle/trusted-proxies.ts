import { BlockList, isIPv4, isIPv6 } from 'node:net';
import { plainAddress } from './network-of.ts';

const IPV4_BITS = 32;
const IPV6_BITS = 128;
/** Longer chains of proxies than this are not followed. */
const MOST_HOPS = 20;

/** Proxies whose word is taken for where a request comes from. */
export class TrustedProxies {
  readonly #list = new BlockList();
  readonly #any: boolean;

  private constructor(networks: readonly Network[]) {
    this.#any = networks.length > 0;
    for (const { address, bits } of networks) this.#list.addSubnet(address, bits, familyOf(address));
  }

  /**
   * Reads a list of addresses and networks (CIDR) parted by commas; the empty text is none.
   *
   * @returns the first part that cannot be read, as a text, where there is one
   */
  static parse(text: string): TrustedProxies | string {
    const networks: Network[] = [];
    for (const part of text.split(',').map((each) => each.trim())) {
      if (part === '') continue;
      const network = networkFrom(part);
      if (network === undefined) return part;
      networks.push(network);
    }
    return new TrustedProxies(networks);
  }

  /**
   * The address of the client: the one that connected, unless that is a trusted proxy. Then the last one in
   * X-Forwarded-For that is none, since each proxy appends whom it was called by, and whatever stands before that the
   * client may have written itself.
   */
  clientOf(peer: string, forwardedFor: string | undefined): string {
    const connected = plainAddress(peer) ?? peer;
    if (!this.#any || forwardedFor === undefined || !this.#trusts(connected)) return connected;
    let client = connected;
    for (const hop of forwardedFor.split(',').slice(-MOST_HOPS).reverse()) {
      const address = plainAddress(withoutPort(hop.trim()));
      if (address === undefined) return client;
      client = address;
      if (!this.#trusts(address)) return client;
    }
    return client;
  }

  #trusts(address: string): boolean {
    return (isIPv4(address) || isIPv6(address)) && this.#list.check(address, familyOf(address));
  }
}

interface Network {
  address: string;
  bits: number;
}

function networkFrom(text: string): Network | undefined {
  const [address = '', bitsText, ...more] = text.split('/');
  if (more.length > 0 || !(isIPv4(address) || isIPv6(address)) || address.includes('%')) return undefined;
  const most = isIPv4(address) ? IPV4_BITS : IPV6_BITS;
  if (bitsText === undefined) return { address, bits: most };
  const bits = /^\d{1,3}$/.test(bitsText) ? Number(bitsText) : Number.NaN;
  return bits <= most ? { address, bits } : undefined;
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv4(address) ? 'ipv4' : 'ipv6';
}

/** Some proxies write the port too: `192.0.2.1:4711` or `[2001:db8::1]:4711`. */
function withoutPort(hop: string): string {
  const bracketed = /^\[([^\]]*)\](:\d+)?$/.exec(hop);
  if (bracketed !== null) return bracketed[1] ?? '';
  const [address = '', port, ...more] = hop.split(':');
  return port !== undefined && more.length === 0 ? address : hop;
}
