import type { Mutation } from './mutation.ts';
import { INGRESS_MUTATIONS } from './of-the-ingress.ts';
import { LEDGER_MUTATIONS } from './of-the-ledger.ts';

export const ALL_MUTATIONS: readonly Mutation[] = [...LEDGER_MUTATIONS, ...INGRESS_MUTATIONS];
