import type { Route } from '../../shared/catalogue/route-table.ts';
import type { CallCredential } from './credentials.ts';

/** Replaces what was removed. */
const REDACTED = '[redacted]';

/** Shorter credentials are no secret and occur in ordinary words. */
const MIN_CREDENTIAL_LENGTH = 4;
/** A text may be truncated within a credential: a prefix of at least this length is removed from its end. */
const MIN_PREFIX_LENGTH = 6;

/** Removes the operator's secrets from a text. */
export type Redact = (text: string) => string;

/**
 * Removes the credentials and the address of an upstream from texts of the upstream or the network: error messages
 * often quote what was sent. Credentials are found verbatim, percent-encoded and in base64, also as a part of it as in
 * Basic authorization.
 *
 * @param baseUrl of the provider; found complete, without its path, and by its host
 */
export function redactor(credentials: readonly string[], baseUrl: string): Redact {
  const secrets = credentials.filter((credential) => credential.length >= MIN_CREDENTIAL_LENGTH);
  const forms = [...new Set(secrets.flatMap(formsOf))].sort((a, b) => b.length - a.length);
  const patterns = [...addressPatterns(baseUrl), ...forms.map(escaped)];
  const everything = new RegExp(patterns.join('|'), 'gi');
  return (text) => withoutPrefixes(text.replace(everything, REDACTED), secrets);
}

/** Removes all IP addresses from messages of Node.js and undici, which name those that a host resolves to. */
export function withoutAddresses(message: string): string {
  return message.replace(IP_ADDRESS, REDACTED);
}

const IP_ADDRESS =
  /\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?\b|\[[0-9a-f:.%]+\](?::\d{1,5})?|(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4}(?::\d{1,5})?/gi;

function formsOf(credential: string): string[] {
  return [credential, encodeURIComponent(credential), ...partsInBase64(credential)];
}

/** A text in base64 at each of three possible alignments, without the characters it shares with its neighbours. */
function partsInBase64(text: string): string[] {
  const bytes = Buffer.from(text);
  return [0, 1, 2].flatMap((before) => {
    const skip = before === 0 ? 0 : before + 1;
    const end = Math.floor((before + bytes.length) / 3) * 4;
    const part = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .slice(skip, end);
    if (part.length < MIN_CREDENTIAL_LENGTH) return [];
    return [part, part.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

/** Longest first, so that nothing of a longer one is left. A host name without a dot is matched only within a URL. */
function addressPatterns(baseUrl: string): string[] {
  const { href, origin, host, hostname, username, password } = new URL(baseUrl);
  const base = href.replace(/\/$/, '');
  const userinfo = [username, password].filter((part) => part.length >= MIN_CREDENTIAL_LENGTH);
  const urls = [...new Set([base, origin])].flatMap((url) => [
    escaped(url),
    escaped(encodeURIComponent(url)),
    escaped(url.replaceAll('/', '\\/')),
  ]);
  const name = escaped(hostname);
  const isPlainWord = !hostname.includes('.') && !hostname.includes(':');
  const hosts = isPlainWord ? [`(?<=//|@)${name}\\b`, `\\b${name}:\\d+`] : [`(?<![\\w.-])${name}(?::\\d+)?(?![\\w-])`];
  return [...urls, ...(host === hostname ? [] : [escaped(host)]), ...hosts, ...userinfo.map(escaped)];
}

/** The text without prefixes of a credential at its end and before each `…`, where it was truncated. */
function withoutPrefixes(text: string, secrets: readonly string[]): string {
  return text
    .split('…')
    .map((piece) => withoutPrefix(piece, secrets))
    .join('…');
}

function withoutPrefix(text: string, secrets: readonly string[]): string {
  for (const secret of secrets) {
    for (let length = Math.min(secret.length - 1, text.length); length >= MIN_PREFIX_LENGTH; length--) {
      if (text.endsWith(secret.slice(0, length))) return text.slice(0, -length) + REDACTED;
    }
  }
  return text;
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&');
}

/** Headers of a provider whose values are credentials. */
const SECRET_HEADER = /auth|key|token|secret|cookie|password/i;

/** The last redactor of each route, with its secrets. */
const known = new WeakMap<Route, { secrets: readonly string[]; redact: Redact }>();

/** Returns a function that removes these credentials of a deployment and its provider's address from texts. */
export function redactorOf(route: Route, credentials: readonly CallCredential[]): Redact {
  const secrets = secretsOf(route, credentials);
  const last = known.get(route);
  if (
    last !== undefined &&
    last.secrets.length === secrets.length &&
    secrets.every((one, at) => one === last.secrets[at])
  ) {
    return last.redact;
  }
  const redact = redactor(secrets, route.provider.baseUrl);
  known.set(route, { secrets, redact });
  return redact;
}

function secretsOf({ provider: { headers } }: Route, credentials: readonly CallCredential[]): string[] {
  const secrets: string[] = [];
  for (const credential of credentials) {
    if (credential.kind === 'found') secrets.push(credential.value);
    else if (credential.kind === 'identity') secrets.push(...credential.identity.secrets());
  }
  for (const name in headers) if (SECRET_HEADER.test(name)) secrets.push(headers[name] ?? '');
  return secrets;
}
