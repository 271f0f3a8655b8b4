import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Shifts the wall clock of the process that loads this first (`node --import`), and of no other. By how many milliseconds
 * is in the file of CLOCK_FOLDER that is named by the process' port; it is read at the start and on SIGUSR2.
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
