import { isIPv4, isIPv6 } from 'node:net';

const GROUPS = 8;
/** What one subscriber has of IPv6 at least: within it addresses can be changed at will. */
const NETWORK_GROUPS = 4;

/**
 * What counts as one client: an IPv4 address by itself, an IPv6 address by its /64. An IPv4 address in the clothes of
 * IPv6 is the IPv4 address. Undefined for what is no address.
 */
export function networkOf(address: string): string | undefined {
  if (isIPv4(address)) return address;
  const plain = plainAddress(address);
  if (plain === undefined || isIPv4(plain)) return plain;
  return `${groupsOf(plain)
    .slice(0, NETWORK_GROUPS)
    .map((group) => group.toString(16))
    .join(':')}::/64`;
}

/** An address without its zone, an IPv4-mapped one as IPv4; undefined for what is no address. */
export function plainAddress(address: string): string | undefined {
  if (isIPv4(address)) return address;
  const [text = ''] = address.split('%');
  if (!isIPv6(text)) return undefined;
  const groups = groupsOf(text);
  const [high = 0, low = 0] = groups.slice(-2);
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  return isMapped ? [high >> 8, high & 255, low >> 8, low & 255].join('.') : text;
}

/** The eight groups of a valid IPv6 address. */
function groupsOf(address: string): number[] {
  const [head = '', tail] = address.split('::');
  const front = partsOf(head);
  if (tail === undefined) return front;
  const back = partsOf(tail);
  return [...front, ...new Array<number>(GROUPS - front.length - back.length).fill(0), ...back];
}

function partsOf(text: string): number[] {
  if (text === '') return [];
  return text.split(':').flatMap((part) => {
    if (!part.includes('.')) return [Number.parseInt(part, 16)];
    const [a = 0, b = 0, c = 0, d = 0] = part.split('.').map(Number);
    return [(a << 8) | b, (c << 8) | d];
  });
}
