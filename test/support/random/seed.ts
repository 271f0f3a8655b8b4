/**
 * The seed of random tests: `SEED`, if set. Otherwise CI has a fixed one, so that a commit always has the same result;
 * developers and the long modes (`LONG=1`) get a new one.
 */
export function chooseSeed(env: NodeJS.ProcessEnv, nowMs: number): number {
  const chosen = env['SEED'];
  if (chosen !== undefined) {
    const seed = Number(chosen);
    if (!Number.isSafeInteger(seed)) throw new Error(`SEED must be an integer, not ${JSON.stringify(chosen)}.`);
    return seed;
  }
  return env['CI'] === 'true' && env['LONG'] !== '1' ? CI_SEED : nowMs % 1_000_000_000;
}

const CI_SEED = 20_261_122;
