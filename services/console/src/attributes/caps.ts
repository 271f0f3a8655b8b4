import { formatDollars } from '@tollgate/common/money';
import type { SpendingCaps } from '@tollgate/proto/auth';
import type { z } from 'zod';
import type { caps } from '../api/fields.ts';
import { readAmount } from './amounts.ts';

type Caps = z.output<typeof caps>;

/** Spending caps as auth takes them. */
export function readCaps(given: Caps): SpendingCaps {
  const read = (text: string | null, period: string) =>
    text === null ? undefined : readAmount(text, `caps.${period}`);
  return {
    dayNanos: read(given.day, 'day'),
    monthNanos: read(given.month, 'month'),
    totalNanos: read(given.total, 'total'),
  };
}

export function renderCaps(given: SpendingCaps | undefined): Caps {
  const render = (nanos: bigint | undefined) => (nanos === undefined ? null : formatDollars(nanos));
  return { day: render(given?.dayNanos), month: render(given?.monthNanos), total: render(given?.totalNanos) };
}
