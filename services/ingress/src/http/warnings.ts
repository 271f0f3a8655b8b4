import type { ServerResponse } from 'node:http';

const MAX_HEADER_CHARACTERS = 2_000;

/** Reports what was changed or left out in `x-tollgate-warnings`, separated by semicolons and truncated. */
export function setWarnings(res: ServerResponse, warnings: readonly string[]): void {
  if (warnings.length === 0) return;
  const text = warnings.map((warning) => warning.replace(/[^\x20-\x7e]/g, '?').replaceAll(';', ',')).join('; ');
  res.setHeader('x-tollgate-warnings', text.slice(0, MAX_HEADER_CHARACTERS));
}
