import { setImmediate as nextTurn } from 'node:timers/promises';

/** Turns of the event loop without any work in progress after which none is left. */
const IDLE_TURNS = 3;

/** Resolves once no promise or event is left to be handled, unless a query ends meanwhile. */
export async function idleTurns(): Promise<void> {
  for (let turn = 0; turn < IDLE_TURNS; turn += 1) await nextTurn();
}
