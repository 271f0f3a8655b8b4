import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Preloaded with `node --import`: shifts the wall clock of its process by the milliseconds in the file of CLOCK_FOLDER
 * named after the process's port, read at the start and on SIGUSR2.
 */
const FILE = join(process.env['CLOCK_FOLDER'] ?? '', process.env['PORT'] ?? process.env['GRPC_PORT'] ?? '');
const SystemDate = Date;
let byMs = read();

class ShiftedDate extends SystemDate {
  constructor(...values: [] | [number | string | Date]) {
    super(...((values.length === 0 ? [ShiftedDate.now()] : values) as [number | string | Date]));
  }

  static override now(): number {
    return SystemDate.now() + byMs;
  }
}

globalThis.Date = ShiftedDate as DateConstructor;
process.on('SIGUSR2', () => {
  byMs = read();
});

function read(): number {
  try {
    return Number(readFileSync(FILE, 'utf8'));
  } catch {
    return 0;
  }
}
