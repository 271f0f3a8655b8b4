import type { Stages } from '@tollgate/protocols/stages';
import { Turns } from './turns.ts';

/**
 * Bodies above this many bytes are worked on in several turns of the event loop. Below it all stages together take about
 * ten milliseconds at the most, even for a body of very many small values.
 */
const LARGE_BODY_BYTES = 64 * 1_024;

/** Of the process: all large bodies share its event loop. */
const turns = new Turns();

/** Lets other work of the process pass between two stages of the work on a large body. A small one goes on at once. */
export type Pause = () => Promise<void> | undefined;

/** The pauses in the work on a body of that many bytes. */
export function pausesFor(bodyBytes: number): Pause {
  return bodyBytes > LARGE_BODY_BYTES ? () => turns.next() : noPause;
}

function noPause(): undefined {
  return undefined;
}

/** Runs work to its end, with a pause wherever it can be interrupted. Without pauses it is done when the call returns. */
export function runStages<T>(stages: Stages<T>, pause: Pause): T | Promise<T> {
  for (;;) {
    const step = stages.next();
    if (step.done === true) return step.value;
    const waiting = pause();
    if (waiting !== undefined) return goOn(stages, pause, waiting);
  }
}

async function goOn<T>(stages: Stages<T>, pause: Pause, waiting: Promise<void>): Promise<T> {
  await waiting;
  for (;;) {
    const step = stages.next();
    if (step.done === true) return step.value;
    await pause();
  }
}
