import type { Mode } from './expectations.ts';
import { LANGUAGES, type Language, PROTOCOLS, type ProtocolName } from './scenario.ts';

/** How a client calls. */
export interface Way {
  language: Language;
  mode: Mode;
}

/**
 * The ways in which a feature is tested between two protocols: one of them in turn, and with LONG=1 all. Every SDK meets every
 * feature in every mode with one of the upstreams, and every upstream with one of the clients.
 *
 * @param feature its number
 */
export function waysOf(client: ProtocolName, upstream: ProtocolName, feature: number, modes: readonly Mode[]): Way[] {
  const ways = LANGUAGES.flatMap((language) => modes.map((mode) => ({ language, mode })));
  const turn = (PROTOCOLS.indexOf(client) + PROTOCOLS.indexOf(upstream) + feature) % ways.length;
  return ways.filter((_, index) => process.env['LONG'] === '1' || index === turn);
}
