import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv4, isIPv6, SocketAddress } from 'node:net';

/** Longer chains of proxies are not followed. */
const MAX_HOPS = 20;
/** How many of the eight groups of an IPv6 address name the smallest network that one customer gets: a /64. */
const NETWORK_GROUPS = 4;
const IPV6_GROUPS = 8;
const MAPPED_IPV4 = '::ffff:';

/** Whether a hop of X-Forwarded-For, or the peer of a connection, is a trusted proxy. */
export type TrustedProxies = (hop: string) => boolean;

/** Reads comma-separated addresses and networks (CIDR); undefined when one of them is invalid. Empty trusts nobody. */
export function parseTrustedProxies(text: string): TrustedProxies | undefined {
  const parts = text.split(',').map((part) => part.trim());
  const trusted = new BlockList();
  for (const part of parts.filter((each) => each !== '')) if (!addNetwork(trusted, part)) return undefined;
  return (hop) => {
    const address = addressOf(hop);
    return address !== undefined && trusted.check(address, familyOf(address));
  };
}

/** @returns false for an invalid network */
function addNetwork(list: BlockList, text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  if (rest.length > 0 || isIP(address) === 0 || address.includes('%')) return false;
  const family = familyOf(address);
  const most = family === 'ipv4' ? 32 : 128;
  if (bits === undefined) list.addAddress(address, family);
  else if (/^\d{1,3}$/.test(bits) && Number(bits) <= most) list.addSubnet(address, Number(bits), family);
  else return false;
  return true;
}

/**
 * What counts as one client: an IPv4 address, or the /64 of an IPv6 address, within which a client can change its address
 * freely. `unknown` once the connection is closed.
 */
export function clientNetwork(req: IncomingMessage, trusted: TrustedProxies): string {
  return networkOf(clientAddress(req, trusted)) || 'unknown';
}

/**
 * The address of the client: the peer's unless it is a trusted proxy, else the last one in X-Forwarded-For that is
 * not. The client itself may have written what stands before that one. Invalid hops end the chain. Empty once the
 * connection is closed.
 */
export function clientAddress(req: IncomingMessage, trusted: TrustedProxies): string {
  let client = addressOf(req.socket.remoteAddress) ?? '';
  const forwarded = String(req.headers['x-forwarded-for'] ?? '').split(',');
  for (let hops = 0; hops < MAX_HOPS && client !== '' && trusted(client); hops += 1) {
    const next = addressOf(forwarded.pop()?.trim());
    if (next === undefined) break;
    client = next;
  }
  return client;
}

/** The network of an address, as `clientNetwork` returns it. Other texts are returned unchanged. */
export function networkOf(text: string): string {
  const address = addressOf(text) ?? text;
  if (!isIPv6(address)) return address;
  const [before = [], after] = address.split('::').map((part) => (part === '' ? [] : part.split(':')));
  const zeros = after === undefined ? 0 : IPV6_GROUPS - before.length - after.length;
  const groups = [...before, ...Array.from({ length: zeros }, () => '0'), ...(after ?? [])];
  return `${groups.slice(0, NETWORK_GROUPS).join(':')}::/64`;
}

/**
 * Reads a hop without its port and zone, in its shortest form; IPv4-mapped IPv6 addresses become IPv4. Undefined for
 * anything but an address.
 */
function addressOf(hop: string | undefined): string | undefined {
  const [text = ''] = withoutPort(hop ?? '').split('%', 1);
  if (!isIPv6(text)) return isIPv4(text) ? text : undefined;
  const { address } = new SocketAddress({ address: text, family: 'ipv6' });
  const mapped = address.slice(MAPPED_IPV4.length);
  return address.startsWith(MAPPED_IPV4) && isIPv4(mapped) ? mapped : address;
}

/** Some proxies write the port too: `192.0.2.1:4711` or `[2001:db8::1]:4711`. */
function withoutPort(hop: string): string {
  const [, bracketed, ipv4] = /^(?:\[([^\]]*)\]|([\d.]+))(?::\d+)?$/.exec(hop) ?? [];
  return bracketed ?? ipv4 ?? hop;
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv4(address) ? 'ipv4' : 'ipv6';
}
