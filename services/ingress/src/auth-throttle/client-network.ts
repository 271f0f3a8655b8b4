import type { IncomingMessage } from 'node:http';
import { isIP, isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';
import proxyAddr from 'proxy-addr';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Longer chains of proxies are not followed. */
const MAX_HOPS = 20;
/** Of the eight groups of an IPv6 address, those of the smallest network that is assigned to one customer: a /64. */
const NETWORK_GROUPS = 4;

/** Whether a hop of X-Forwarded-For, or the peer of a connection, is a trusted proxy. */
export type TrustedProxies = (hop: string) => boolean;

/** Reads comma-separated addresses and networks (CIDR); undefined when one of them is invalid. Empty trusts nobody. */
export function parseTrustedProxies(text: string): TrustedProxies | undefined {
  const parts = text.split(',').map((part) => part.trim());
  const trusted = parts.filter((part) => part !== '').map(subnetOf);
  const subnets = trusted.filter((subnet) => subnet !== undefined);
  if (subnets.length < trusted.length) return undefined;
  return (hop) => {
    const address = addressOf(hop);
    return address !== undefined && ipaddr.subnetMatch(address, { trusted: subnets }, 'other') === 'trusted';
  };
}

/**
 * What counts as one client: an IPv4 address, or the /64 of an IPv6 address, within which a client can change its address
 * freely. `unknown` once the connection is closed.
 */
export function clientNetwork(req: IncomingMessage, trusted: TrustedProxies): string {
  const address = clientAddress(req, trusted);
  return address === undefined ? 'unknown' : networkOf(address);
}

/**
 * The address of the client: that of the peer unless it is a trusted proxy, else the last one in X-Forwarded-For that is
 * not. The client itself may have written what stands before that one. Invalid hops end the chain.
 */
export function clientAddress(req: IncomingMessage, trusted: TrustedProxies): Address | undefined {
  const hops = proxyAddr.all(req, (hop, index) => index < MAX_HOPS && trusted(hop));
  return hops.map(addressOf).findLast((address) => address !== undefined);
}

export function networkOf(address: Address): string {
  if (address instanceof ipaddr.IPv4) return address.toString();
  const groups = address.parts.slice(0, NETWORK_GROUPS).map((group) => group.toString(16));
  return `${groups.join(':')}::/64`;
}

/** Reads a hop without its port; IPv4-mapped IPv6 addresses become IPv4. Undefined for anything but an address. */
export function addressOf(hop: string | undefined): Address | undefined {
  const text = withoutPort(hop ?? '');
  return isIP(text) === 0 ? undefined : ipaddr.process(text);
}

/** Some proxies write the port too: `192.0.2.1:4711` or `[2001:db8::1]:4711`. */
function withoutPort(hop: string): string {
  const [, bracketed, ipv4] = /^(?:\[([^\]]*)\]|([\d.]+))(?::\d+)?$/.exec(hop) ?? [];
  return bracketed ?? ipv4 ?? hop;
}

function subnetOf(text: string): [Address, number] | undefined {
  const [address = '', bits, ...rest] = text.split('/');
  if (rest.length > 0 || isIP(address) === 0 || address.includes('%')) return undefined;
  if (bits === undefined) return [ipaddr.parse(address), isIPv4(address) ? 32 : 128];
  return /^\d{1,3}$/.test(bits) && ipaddr.isValidCIDR(text) ? ipaddr.parseCIDR(text) : undefined;
}
