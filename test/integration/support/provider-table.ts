import { expect } from 'vitest';
import type { RecordedEndpoint, RecordedProvider, Scene } from '../providers/recorded.ts';
import { providerPage } from './provider-pages.ts';

const COLUMNS = ['chat', 'stream', 'tools', 'reasoning kept', 'usage and cached tokens', 'errors'] as const;
type Column = (typeof COLUMNS)[number];

/** The table of docs/providers/README.md: what has not passed. */
export class Cells {
  readonly #providers: readonly RecordedProvider[];
  readonly #proved = new Set<string>();

  constructor(providers: readonly RecordedProvider[]) {
    this.#providers = providers;
  }

  /** A scene passed. */
  prove(endpoint: RecordedEndpoint, scene: Scene, mode: 'whole' | 'streamed'): void {
    for (const column of columnsOf(scene, mode)) this.#proved.add(`${this.#rowOf(endpoint)}: ${column}`);
  }

  /** An error was mapped. */
  proveError(endpoint: RecordedEndpoint): void {
    this.#proved.add(`${this.#rowOf(endpoint)}: errors`);
  }

  #rowOf(endpoint: RecordedEndpoint): string | undefined {
    return endpoint.row ?? this.#providers.find(({ endpoints }) => endpoints.includes(endpoint))?.name;
  }

  #lacks(row: string, column: Column): string[] {
    if (this.#proved.has(`${row}: ${column}`)) return [];
    // Some report no cached tokens.
    return [column === 'usage and cached tokens' && this.#proved.has(`${row}: usage`) ? 'cached tokens' : column];
  }

  /** The page has this table, row by row. */
  expectTable(): void {
    const rows = this.#providers.flatMap(({ id, endpoints }) =>
      [...new Set(endpoints.map((endpoint) => this.#rowOf(endpoint) ?? ''))].map((row) => {
        const lacking = COLUMNS.flatMap((column) => this.#lacks(row, column)).join(', ');
        return `| [${row}](${id}.md) | ${lacking}${lacking && ' '}|`;
      }),
    );
    const table = ['| provider | lacks |', '|---|---|', ...rows];
    const linked = new Set(this.#providers.map(({ id }) => `(${id}.md)`));
    const onPage = providerPage('README')
      .split('\n')
      .filter((line) => line.startsWith('|'))
      // Other tests have rows of their own.
      .filter((line) => !line.startsWith('| [') || linked.has(/\([\w-]+\.md\)/.exec(line)?.[0] ?? ''));
    expect(onPage).toEqual(table);
  }
}

function columnsOf({ name, answer }: Scene, mode: 'whole' | 'streamed'): (Column | 'usage')[] {
  switch (name) {
    case 'text': {
      const shown: (Column | 'usage')[] = mode === 'whole' ? ['chat'] : ['stream'];
      return [...shown, answer.usage.cache_read === undefined ? 'usage' : 'usage and cached tokens'];
    }
    case 'tools':
      return ['tools'];
    case 'reasoning':
      return ['reasoning kept'];
    default:
      return name satisfies never;
  }
}
