import { INGRESS_MUTATIONS } from './ingress.ts';
import { LEDGER_MUTATIONS } from './ledger.ts';
import type { Mutation } from './mutation.ts';

export const ALL_MUTATIONS: readonly Mutation[] = [...LEDGER_MUTATIONS, ...INGRESS_MUTATIONS];
