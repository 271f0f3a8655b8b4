/** The page to open after sign-in: an address of this console only, so that a link cannot lead people elsewhere. */
export function safeNext(next: string | undefined): string {
  if (next === undefined || !next.startsWith('/')) return '/';
  // As a browser reads it: `//host`, `/\host` and `/<tab>/host` lead elsewhere, and `/..//host` once its dots are resolved.
  const address = new URL(next, 'https://console.invalid');
  const isOwn = address.host === 'console.invalid' && !address.pathname.startsWith('//');
  return isOwn ? address.pathname + address.search + address.hash : '/';
}
