import { LARGE_BYTES, type Stages } from '@tollgate/protocols/lists/stages';
import { Turns } from './turns.ts';

/** One for the process: all large bodies share its event loop. */
const turns = new Turns();

/** Lets other work run between two stages of processing a large body. Does nothing for a small one. */
export type Pause = () => Promise<void> | undefined;

/** The pauses for processing a body of this size: a large one is processed in several turns of the event loop. */
export function pausesFor(bodyBytes: number): Pause {
  return bodyBytes > LARGE_BYTES ? () => turns.next() : noPause;
}

function noPause(): undefined {
  return undefined;
}

/** Runs all stages, with a pause between them. Without pauses it completes synchronously. */
export function runStages<T>(stages: Stages<T>, pause: Pause): T | Promise<T> {
  for (;;) {
    const step = stages.next();
    if (step.done === true) return step.value;
    const waiting = pause();
    if (waiting !== undefined) return runRemaining(stages, pause, waiting);
  }
}

async function runRemaining<T>(stages: Stages<T>, pause: Pause, waiting: Promise<void>): Promise<T> {
  await waiting;
  for (;;) {
    const step = stages.next();
    if (step.done === true) return step.value;
    await pause();
  }
}
