import { FEATURES } from '../expectations.ts';
import { PROTOCOLS, type ProtocolName } from '../scenario.ts';

/** The result of a feature between a client and an upstream. */
export type CellResult = 'works' | 'rejected' | 'warned' | 'none' | 'FAILED';

const SHORT: Readonly<Record<ProtocolName, string>> = {
  'openai-chat': 'C',
  'openai-responses': 'R',
  'anthropic-messages': 'M',
  gemini: 'G',
};
const MARKS: Readonly<Record<CellResult, string>> = {
  works: 'ok',
  rejected: 'rej',
  warned: 'warn',
  none: '-',
  FAILED: 'FAIL',
};

/** Collects results for a table of features and pairs. */
export class ResultTable {
  readonly #results = new Map<string, Set<CellResult>>();

  record(feature: string, client: ProtocolName, upstream: ProtocolName, result: CellResult): void {
    const key = [feature, client, upstream].join(' ');
    this.#results.set(key, (this.#results.get(key) ?? new Set()).add(result));
  }

  /** One row per feature, one column per pair; all results where they differ. */
  render(): string {
    const pairs = PROTOCOLS.flatMap((client) => PROTOCOLS.map((upstream) => ({ client, upstream })));
    const rows = FEATURES.map((feature) => {
      const cells = pairs.map(({ client, upstream }) => {
        const results = this.#results.get([feature.id, client, upstream].join(' ')) ?? [];
        return [...results].map((result) => MARKS[result]).join('/');
      });
      return [feature.title, ...cells];
    });
    const head = ['client > upstream', ...pairs.map(({ client, upstream }) => `${SHORT[client]}>${SHORT[upstream]}`)];
    const lines = [head, ...rows];
    const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
    return lines.map((line) => line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')).join('\n');
  }
}

export const LEGEND =
  'C chat completions, R responses, M messages, G generateContent. ok works, rej rejected with the field, warn dropped ' +
  'with a warning, - not applicable.';
