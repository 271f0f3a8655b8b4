import { renderConfiguration } from './configuration.ts';
import { renderConsoleApi } from './console-api.ts';
import { renderPerformance } from './performance.ts';
import { renderProtocolFields } from './protocol-fields.ts';

/** The generated pages by path from this folder. */
export function renderPages(): Record<string, string> {
  return {
    '../configuration.md': renderConfiguration(),
    '../operations/performance.md': renderPerformance(),
    '../reference/console-api.md': renderConsoleApi(),
    ...renderProtocolFields(),
  };
}
