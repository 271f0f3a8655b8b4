/** What stands in place of what was taken out. */
const REDACTED = '[redacted]';

/** Shorter ones are no secret, and are found in ordinary words. */
const SHORTEST_CREDENTIAL = 4;
/** A text may have been cut within a credential; a beginning of so many characters is taken out at its end. */
const SHORTEST_BEGINNING = 6;

/** Takes what belongs to the operator alone out of a text. */
export type Redact = (text: string) => string;

/**
 * Takes the credentials and the address of an upstream out of texts that the upstream or the network made: error messages
 * often repeat what was sent. Credentials are found as they are, percent-encoded and in base64, also as a part of it, as
 * Basic authorization has it.
 *
 * @param baseUrl of the provider; found whole, without its path, and by its host
 */
export function redactor(credentials: readonly string[], baseUrl: string): Redact {
  const secrets = credentials.filter((credential) => credential.length >= SHORTEST_CREDENTIAL);
  const forms = [...new Set(secrets.flatMap(formsOf))].sort((a, b) => b.length - a.length);
  const patterns = [...addressPatterns(baseUrl), ...forms.map(escaped)];
  const everything = new RegExp(patterns.join('|'), 'gi');
  return (text) => withoutBeginnings(text.replace(everything, REDACTED), secrets);
}

/** Takes all addresses out, for messages of Node and undici, which name those that a host's name stands for. */
export function withoutAddresses(message: string): string {
  return message.replace(IP_ADDRESS, REDACTED);
}

const IP_ADDRESS =
  /\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?\b|\[[0-9a-f:.%]+\](?::\d{1,5})?|(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4}(?::\d{1,5})?/gi;

function formsOf(credential: string): string[] {
  return [credential, encodeURIComponent(credential), ...partsInBase64(credential)];
}

/** What a text is in base64, wherever it begins among three bytes; bytes that it shares with its neighbours are left out. */
function partsInBase64(text: string): string[] {
  const bytes = Buffer.from(text);
  return [0, 1, 2].flatMap((before) => {
    const skip = before === 0 ? 0 : before + 1;
    const whole = Math.floor((before + bytes.length) / 3) * 4;
    const part = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .slice(skip, whole);
    if (part.length < SHORTEST_CREDENTIAL) return [];
    return [part, part.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

/** Longest first, so that nothing of a longer one is left. A name without a dot may be any word but for where it stands. */
function addressPatterns(baseUrl: string): string[] {
  const { href, origin, host, hostname, username, password } = new URL(baseUrl);
  const whole = href.replace(/\/$/, '');
  const userinfo = [username, password].filter((part) => part.length >= SHORTEST_CREDENTIAL);
  const urls = [...new Set([whole, origin])].flatMap((url) => [
    escaped(url),
    escaped(encodeURIComponent(url)),
    escaped(url.replaceAll('/', '\\/')),
  ]);
  const name = escaped(hostname);
  const isPlainWord = !hostname.includes('.') && !hostname.includes(':');
  const hosts = isPlainWord ? [`(?<=//|@)${name}\\b`, `\\b${name}:\\d+`] : [`(?<![\\w.-])${name}(?::\\d+)?(?![\\w-])`];
  return [...urls, ...(host === hostname ? [] : [escaped(host)]), ...hosts, ...userinfo.map(escaped)];
}

/** The text without beginnings of a credential where it ends, and where `…` says that some of it was cut. */
function withoutBeginnings(text: string, secrets: readonly string[]): string {
  return text
    .split('…')
    .map((piece) => withoutBeginning(piece, secrets))
    .join('…');
}

function withoutBeginning(text: string, secrets: readonly string[]): string {
  for (const secret of secrets) {
    for (let length = Math.min(secret.length - 1, text.length); length >= SHORTEST_BEGINNING; length--) {
      if (text.endsWith(secret.slice(0, length))) return text.slice(0, -length) + REDACTED;
    }
  }
  return text;
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&');
}
