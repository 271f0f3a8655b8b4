import { databaseTurns } from './database-turns.ts';
import { idleTurns } from './idle-turns.ts';

/**
 * Resolves once the process has nothing more to do: no query is in progress, and no promise or event is left to be handled.
 * Only timers and messages of the history can set it in motion again.
 */
export async function quiet(): Promise<void> {
  do {
    await databaseTurns.over();
    await idleTurns();
  } while (databaseTurns.underWay);
}
