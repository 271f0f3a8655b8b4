const MAX_LENGTH = 2_000;

/** An address of this console as a browser reads it, `/` for anything else: a link to it cannot lead people elsewhere. */
export function ownAddress(next: unknown): string {
  if (typeof next !== 'string' || !next.startsWith('/') || next.length > MAX_LENGTH) return '/';
  const base = 'https://console.invalid';
  if (!URL.canParse(next, base)) return '/';
  const { host, pathname, search, hash } = new URL(next, base);
  // `//host` and `/\host` name another host; `/..//host` does once its dots are resolved.
  if (host !== 'console.invalid' || pathname.startsWith('//')) return '/';
  return pathname + search + hash;
}
