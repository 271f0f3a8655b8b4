/** What a checker is to do. */
export interface CheckerOptions {
  /** A Postgres in which databases may be made. */
  databaseUrl: string;
  /** `calls`: calls of the ledger alone; `system`: ingresses, network and ledgers; `hazards`: more goes wrong in these. */
  kind: 'calls' | 'system' | 'hazards';
  /** Of the first histories; each further batch takes the next one. */
  seed: number;
  /** Ends after so many histories, or seconds, whichever comes first. */
  histories: number;
  seconds: number;
  /** Whether a shorter history is looked for that fails as the one found does. */
  shrinks: boolean;
  /** The place of one history under its seed, as a report names it. */
  path: string | undefined;
}

/** Reads DATABASE_URL, HISTORIES, SEED, MOST, SECONDS, SHRINK (`no`) and REPLAY. */
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
    histories: path === undefined ? numberOf(env, 'MOST', Number.POSITIVE_INFINITY) : 1,
    seconds: numberOf(env, 'SECONDS', Number.POSITIVE_INFINITY),
    shrinks: env['SHRINK'] !== 'no',
    path,
  };
}

function numberOf(env: NodeJS.ProcessEnv, name: string, otherwise: number): number {
  const text = env[name];
  if (text === undefined) return otherwise;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0) throw new Error(`${name}: must be a whole number`);
  return value;
}
