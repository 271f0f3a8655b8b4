import { type UseQueryResult, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useAccount } from '../../account/account-context.tsx';
import { invalidate, type ReadRoute, useRead } from '../../api/queries.ts';
import type { Payment } from './payment-text.ts';

/** What a payment changes when it settles or is paid back. */
export const CHANGED_BY_PAYMENTS: readonly ReadRoute[] = [
  'GET /accounts/{account_id}/balance',
  'GET /accounts/{account_id}/deposits',
  'GET /accounts/{account_id}/overview',
  'GET /accounts/{account_id}/alerts',
  'GET /accounts/{account_id}/payments',
  'GET /accounts/{account_id}/payment-options',
  'GET /operator/accounts',
  'GET /operator/ledger',
];

/** Most payments settle within seconds; a bank may take its time. */
const PHASES = [
  { everyMs: 1_000, forMs: 30_000 },
  { everyMs: 5_000, forMs: 270_000 },
] as const;

export interface FollowedPayment {
  read: UseQueryResult<Payment, Error>;
  /** It is still pending, and no longer followed. */
  isLate: boolean;
  /** Follows it again. */
  onLookAgain: () => void;
}

/** Reads a payment until it has settled or failed, for some minutes. `follows` is false for one that was given up. */
export function useFollowedPayment(paymentId: string, follows: boolean): FollowedPayment {
  const { accountId } = useAccount();
  const client = useQueryClient();
  const [isPending, setIsPending] = useState(false);
  const [phase, setPhase] = useState(0);
  const current = isPending ? PHASES[phase] : undefined;
  const read = useRead(
    'GET /accounts/{account_id}/payments/{payment_id}',
    { path: { account_id: accountId, payment_id: paymentId } },
    { refetchInterval: current?.everyMs ?? false },
  );
  const state = read.data?.state;
  useEffect(() => {
    setIsPending(follows && state === 'pending');
    if (state === 'settled' || state === 'failed') void invalidate(client, CHANGED_BY_PAYMENTS);
  }, [client, follows, state]);
  useEffect(() => {
    if (current === undefined) return;
    const timer = setTimeout(() => setPhase((before) => before + 1), current.forMs);
    return () => clearTimeout(timer);
  }, [current]);
  return {
    read,
    isLate: isPending && current === undefined,
    onLookAgain: () => {
      setPhase(0);
      void read.refetch();
    },
  };
}
