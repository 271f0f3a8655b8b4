import { PROTOCOLS, type ProtocolName } from '../scenario.ts';
import { type Mode, SCENARIOS, type ScenarioId } from './cells.ts';
import { CLIENTS, type FrameworkClient } from './clients.ts';

/** Collects the results of cells for a table: one row per client and upstream, one column per scenario. */
export class FrameworkTable {
  readonly #results = new Map<string, string>();

  record(client: FrameworkClient, upstream: ProtocolName, scenario: ScenarioId, mode: Mode, result: string): void {
    this.#results.set([client.id, upstream, scenario, mode].join(' '), result);
  }

  render(): string {
    const head = ['client > upstream', ...SCENARIOS.map((scenario) => scenario.id)];
    const rows = CLIENTS.flatMap((client) =>
      PROTOCOLS.map((upstream) => [
        `${client.id} > ${upstream}`,
        ...SCENARIOS.map((scenario) => {
          const results = scenario.modes.flatMap(
            (mode) => this.#results.get([client.id, upstream, scenario.id, mode].join(' ')) ?? [],
          );
          return [...new Set(results)].join('/');
        }),
      ]),
    );
    const lines = [head, ...rows];
    const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
    return lines.map((line) => line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')).join('\n');
  }
}
