import type { IncomingMessage } from 'node:http';
import { isIP, isIPv6 } from 'node:net';
import proxyAddr from 'proxy-addr';

/** Longer chains of proxies are not followed. */
const MAX_HOPS = 20;
/** Of the eight groups of an IPv6 address, those of the smallest network that is assigned to one customer: a /64. */
const NETWORK_GROUPS = 4;
const IPV6_GROUPS = 8;

/** Whether the peer of a connection, or a hop of X-Forwarded-For, is a trusted proxy. */
export type TrustedProxies = (hop: string, index: number) => boolean;

/** Reads comma-separated addresses and networks (CIDR); undefined when one of them is invalid. Empty trusts nobody. */
export function parseTrustedProxies(text: string): TrustedProxies | undefined {
  const parts = text.split(',').map((part) => part.trim());
  try {
    return proxyAddr.compile(parts.filter((part) => part !== ''));
  } catch {
    return undefined;
  }
}

/**
 * The address of the client: that of the peer unless it is a trusted proxy, else the last one in X-Forwarded-For that is
 * not. The client itself may have written what stands before that one. Empty once the connection is closed.
 */
export function clientAddress(req: IncomingMessage, trusted: TrustedProxies): string {
  if (req.socket.remoteAddress === undefined) return '';
  const hops = proxyAddr.all(req, (hop, index) => index < MAX_HOPS && isIP(hop) !== 0 && trusted(hop, index));
  const address = hops.findLast((hop) => isIP(hop) !== 0) ?? '';
  return address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '');
}

/** What counts as one client: an IPv4 address, or the /64 of an IPv6 address, in which a client can change its address freely. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [head = '', tail] = address.toLowerCase().split('%', 1)[0]?.split('::') ?? [];
  const before = groupsOf(head);
  const after = groupsOf(tail ?? '');
  const zeros = Array.from({ length: Math.max(0, IPV6_GROUPS - before.length - after.length) }, () => '0');
  const groups = tail === undefined ? before : [...before, ...zeros, ...after];
  return `${groups.slice(0, NETWORK_GROUPS).join(':')}::/64`;
}

function groupsOf(part: string): string[] {
  return part === '' ? [] : part.split(':').map((group) => group.replace(/^0+(?=.)/, ''));
}
