import type { Setup } from '../parts/setup.ts';
import type { Plan } from '../plan.ts';
import type { LedgerOptions } from './measure.ts';

/** What is measured of the ledger of a running stack: with its database, and the clients, which are this process. */
export function ledgerOptions({ stack, ways }: Setup, plan: Plan): LedgerOptions {
  const parts = ways.tollgate.processes.filter(({ name }) => name === 'ledger' || name === 'postgres');
  return {
    address: stack.facts.grpc.ledger,
    databaseUrl: stack.facts.database_url,
    processes: [...parts, { name: 'client', pid: process.pid, counts: false }],
    rounds: plan.ledgerRounds,
    charges: plan.ledgerCharges,
  };
}
