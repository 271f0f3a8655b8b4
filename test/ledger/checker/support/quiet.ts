import { setImmediate as nextTurn } from 'node:timers/promises';

/** Turns of the event loop without any work under way after which none is left. */
const IDLE_TURNS = 3;

let queries = 0;
let wake: (() => void) | undefined;

/** Counts a query of the database until it has ended. */
export function queryBegan(): void {
  queries += 1;
}

export function queryEnded(): void {
  queries -= 1;
  if (queries === 0) wake?.();
}

/**
 * Resolves once the process has nothing more to do: no query is under way, no file is being read or written, and no
 * promise or event is left to be handled. Only timers and messages of the history can set it in motion again.
 */
export async function quiet(): Promise<void> {
  for (let idle = 0; idle < IDLE_TURNS; idle += 1) {
    if (queries > 0) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
      wake = undefined;
      idle = 0;
    }
    await nextTurn();
    if (queries > 0 || usesFiles()) idle = -1;
  }
}

function usesFiles(): boolean {
  return process.getActiveResourcesInfo().some((name) => name.startsWith('FSReq') || name === 'CloseReq');
}
