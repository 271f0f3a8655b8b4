import { INGRESS_MUTATIONS } from './ingress.ts';
import { LEDGER_MUTATIONS } from './ledger.ts';
import type { Mutation, TestedMutation } from './mutation.ts';
import { NODE_MUTATIONS, TESTED_NODE_MUTATIONS } from './nodes.ts';
import { PAYMENTS_MUTATIONS } from './payments.ts';
import { STATEMENT_MUTATIONS } from './statements.ts';
import { VOUCHER_MUTATIONS } from './vouchers.ts';
import { WALLET_MUTATIONS } from './wallet.ts';

/** Faults that random histories must notice. */
export const ALL_MUTATIONS: readonly Mutation[] = [...LEDGER_MUTATIONS, ...NODE_MUTATIONS, ...INGRESS_MUTATIONS];

/** Faults that tests must notice. */
export const TESTED_MUTATIONS: readonly TestedMutation[] = [
  ...TESTED_NODE_MUTATIONS,
  ...PAYMENTS_MUTATIONS,
  ...STATEMENT_MUTATIONS,
  ...VOUCHER_MUTATIONS,
  ...WALLET_MUTATIONS,
];
