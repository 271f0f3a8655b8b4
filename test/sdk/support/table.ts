import { FEATURES, type Mode } from '../expectations.ts';
import { type Language, PROTOCOLS, type ProtocolName } from '../scenario.ts';

/** What was seen of a feature between a client and an upstream. */
export type Sight = 'works' | 'refused' | 'warned' | 'none' | 'FAILED';

const SHORT: Readonly<Record<ProtocolName, string>> = {
  'openai-chat': 'C',
  'openai-responses': 'R',
  'anthropic-messages': 'M',
  gemini: 'G',
};
const MARKS: Readonly<Record<Sight, string>> = {
  works: 'ok',
  refused: 'ref',
  warned: 'warn',
  none: '-',
  FAILED: 'FAIL',
};

/** Collects what was seen, for a table of pairs and features. */
export class SightTable {
  readonly #seen = new Map<string, Sight>();

  see(
    language: Language,
    feature: string,
    client: ProtocolName,
    upstream: ProtocolName,
    mode: Mode,
    sight: Sight,
  ): void {
    this.#seen.set([language, feature, client, upstream, mode].join(' '), sight);
  }

  /** One row a feature, one column a pair; both results where buffered and streamed differ. */
  render(language: Language): string {
    const pairs = PROTOCOLS.flatMap((client) => PROTOCOLS.map((upstream) => ({ client, upstream })));
    const rows = FEATURES.map((feature) => {
      const cells = pairs.map(({ client, upstream }) => {
        const sights = feature.modes.map((mode) => {
          return this.#seen.get([language, feature.id, client, upstream, mode].join(' '));
        });
        return [...new Set(sights.map((sight) => (sight === undefined ? '?' : MARKS[sight])))].join('/');
      });
      return [feature.title, ...cells];
    });
    const head = [
      `${language}: client > upstream`,
      ...pairs.map(({ client, upstream }) => `${SHORT[client]}>${SHORT[upstream]}`),
    ];
    const lines = [head, ...rows];
    const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
    return lines.map((line) => line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')).join('\n');
  }
}

export const LEGEND =
  'C chat completions, R responses, M messages, G generateContent. ok works, ref refused with the field, warn left out ' +
  'with a warning, - cannot be asked or answered; whole/stream where they differ.';
