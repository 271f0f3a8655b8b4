import { createGrpcClient } from '@tollgate/common/grpc/client';
import { LedgerServiceClient } from '@tollgate/proto/ledger';
import { createDesk, record, request } from './desk-fixture.ts';

// Run as a process of its own, to be killed: charges without end, and prints the request of each charge that was written.
const [address = '', journalDir = '', accountId = ''] = process.argv.slice(2);
const desk = createDesk(createGrpcClient(LedgerServiceClient, address), journalDir);
await desk.start();

const client = async () => {
  for (;;) {
    const result = await desk.hold(request(accountId, 1_000n));
    if (result.kind !== 'held') throw new Error(`no hold: ${result.kind}`);
    const charge = record(accountId, 10n);
    await result.hold.charge(charge);
    process.stdout.write(`${charge.requestId}\n`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
};
await Promise.all([client(), client(), client()]);
