import type { Tollgate } from '../parts/tollgate.ts';
import type { Plan } from '../plan.ts';
import type { LedgerOptions } from './measure.ts';

/** The processes measured for the ledger: a running stack, its database, and this process as the client. */
export function ledgerOptions({ stack, route }: Tollgate, plan: Plan): LedgerOptions {
  const parts = route.processes.filter(({ name }) => name === 'ledger' || name === 'postgres');
  return {
    address: stack.facts.grpc.ledger,
    auth: stack.facts.grpc.auth,
    databaseUrl: stack.facts.database_url,
    processes: [...parts, { name: 'client', pid: process.pid, counts: false }],
    rounds: plan.ledgerRounds,
    charges: plan.ledgerCharges,
  };
}
