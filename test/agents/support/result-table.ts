import { AGENTS, type Cell, SCENARIOS, UPSTREAMS } from '../cells.ts';

/** Collects the results of cells for a table. */
export class ResultTable {
  readonly #results = new Map<string, string>();

  record(cell: Cell, result: 'ok' | 'FAIL'): void {
    this.#results.set(keyOf(cell), result);
  }

  /** One row per agent and scenario, one column per provider protocol. */
  render(): string {
    const rows = AGENTS.flatMap((agent) =>
      SCENARIOS.map((scenario) => [
        `${agent}: ${scenario}`,
        ...UPSTREAMS.map((upstream) => this.#results.get(keyOf({ agent, upstream, scenario })) ?? ''),
      ]),
    ).filter((row) => row.slice(1).some((result) => result !== ''));
    const lines = [['', ...UPSTREAMS], ...rows];
    const widths = [0, ...UPSTREAMS].map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
    return lines.map((line) => line.map((text, column) => text.padEnd(widths[column] ?? 0)).join('  ')).join('\n');
  }
}

function keyOf({ agent, upstream, scenario }: Cell): string {
  return [agent, upstream, scenario].join(' ');
}
