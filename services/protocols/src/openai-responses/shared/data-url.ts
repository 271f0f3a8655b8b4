import type { MediaSource } from '../../canonical/part.ts';

const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;

/** The source that a URL names: the bytes of a data URL, or the address. Undefined for a data URL without base64. */
export function decodeUrl(url: string): MediaSource | undefined {
  if (url.slice(0, 5).toLowerCase() !== 'data:') return { kind: 'url', url };
  const comma = url.indexOf(',');
  const [mediaType = '', ...parameters] = url.slice(5, Math.max(comma, 5)).toLowerCase().split(';');
  if (mediaType === '' || parameters.at(-1) !== 'base64') return undefined;
  const data = decodeBase64(url.slice(comma + 1));
  return data === undefined ? undefined : { kind: 'data', mediaType, data };
}

/** Base64 without line breaks; undefined if it is not base64. */
export function decodeBase64(text: string): string | undefined {
  const data = /\s/.test(text) ? text.replaceAll(/\s+/g, '') : text;
  return BASE64.test(data) ? data : undefined;
}

/** The URL of a source. */
export function encodeUrl(source: MediaSource): string {
  return source.kind === 'url' ? source.url : `data:${source.mediaType};base64,${source.data}`;
}
