import { keys } from '../movements/plan-movements.ts';
import type { ListedKind, ListedObject, Provider } from '../providers/provider.ts';
import type { RecordedMovement } from '../store/movements.ts';
import type { ListPosition } from '../store/provider-state.ts';

/** Objects are listed again this long after they were created: lists of providers may lack the newest. */
export const OVERLAP_MS = 3_600_000;

/** What to list next, and what is listed after that. */
export interface ListStep {
  fromMs: number;
  endMs: number;
  afterId: string | undefined;
  /** @param nextAfterId undefined: the page was the last one */
  after: (nextAfterId: string | undefined) => ListPosition;
}

/** The next page of a list: of the window that is being listed, or of a new one up to now. */
export function nextStep({ cursorMs, windowEndMs, afterId }: ListPosition, nowMs: number): ListStep {
  const endMs = windowEndMs ?? nowMs;
  return {
    fromMs: Math.max(0, cursorMs - OVERLAP_MS),
    endMs,
    afterId: windowEndMs === undefined ? undefined : afterId,
    after: (nextAfterId) =>
      nextAfterId === undefined
        ? { cursorMs: Math.max(cursorMs, endMs), windowEndMs: undefined, afterId: undefined }
        : { cursorMs, windowEndMs: endMs, afterId: nextAfterId },
  };
}

/** Whether what is listed must be looked at: it is not booked yet, as far as the movements of the listed objects tell, or may still move. */
export function isMissing(
  provider: Provider['name'],
  { id, what }: ListedObject,
  movements: readonly RecordedMovement[],
): boolean {
  const isBooked = (key: string) => movements.some((each) => each.key === key && each.bookedAtMs !== undefined);
  const isTaken = (key: string, stands: boolean, back: string) =>
    stands ? !isBooked(key) : movements.some((each) => each.key === key) && !isBooked(back);
  switch (what.kind) {
    case 'payment':
      // Its own row may have ended, or not know of it: once it is looked at, it is until it ends.
      if (what.state === 'processing') return true;
      return what.state === 'succeeded' && !isBooked(keys.deposit(provider, id));
    case 'refund': {
      const key = keys.refund(provider, what.refund);
      return isTaken(key, what.refund.state !== 'failed', keys.failed(key));
    }
    case 'dispute': {
      const key = keys.dispute(provider, what.dispute);
      // An inquiry takes nothing; once its payment is looked at, it is until the inquiry ends.
      if (!what.dispute.withdrawn) return what.dispute.open;
      return isTaken(key, !what.dispute.won, keys.won(key));
    }
    default:
      return what satisfies never;
  }
}

/** The kinds in the order in which they are listed: a payment before what takes of it. */
export const LIST_ORDER: readonly ListedKind[] = ['payment', 'refund', 'dispute'];
