/** Options of a run. */
export interface CheckerOptions {
  /** A Postgres in which databases can be created. */
  databaseUrl: string;
  /** `calls`: calls of the ledger alone; `system`: ingresses, network and ledgers; `hazards`: with more faults. */
  kind: 'calls' | 'system' | 'hazards';
  /** The seed of the first histories; each further batch takes the next one. */
  seed: number;
  /** Ends after this many histories or seconds, whichever comes first. */
  histories: number;
  seconds: number;
  /** Whether a failing history is shrunk. */
  shrinks: boolean;
  /** The position of one history under its seed, as in a report. */
  path: string | undefined;
}

/** Reads DATABASE_URL, HISTORIES, SEED, MAX_HISTORIES, SECONDS, SHRINK (`no`) and REPLAY. */
export function readOptions(env: NodeJS.ProcessEnv): CheckerOptions {
  const { DATABASE_URL: databaseUrl, HISTORIES: kind, REPLAY: path } = env;
  if (databaseUrl === undefined) throw new Error('DATABASE_URL: must be given');
  if (kind !== 'calls' && kind !== 'system' && kind !== 'hazards') {
    throw new Error('HISTORIES: must be calls, system or hazards');
  }
  return {
    databaseUrl,
    kind,
    seed: numberOf(env, 'SEED', 1),
    histories: path === undefined ? numberOf(env, 'MAX_HISTORIES', Number.POSITIVE_INFINITY) : 1,
    seconds: numberOf(env, 'SECONDS', Number.POSITIVE_INFINITY),
    shrinks: env['SHRINK'] !== 'no',
    path,
  };
}

function numberOf(env: NodeJS.ProcessEnv, name: string, otherwise: number): number {
  const text = env[name];
  if (text === undefined) return otherwise;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0) throw new Error(`${name}: must be a non-negative integer`);
  return value;
}
