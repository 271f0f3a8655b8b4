import { createGrpcClient } from '@tollgate/common/grpc/client';
import { LedgerServiceClient } from '@tollgate/proto/ledger';
import { createWallet, record, request } from './credit-fixture.ts';

// Run as a separate process that a test kills: charges endlessly, and prints the request id of each written charge.
const [address = '', journalDir = '', accountId = ''] = process.argv.slice(2);
const wallet = createWallet(createGrpcClient(LedgerServiceClient, address), journalDir);
await wallet.start();

const client = async () => {
  for (;;) {
    const result = await wallet.hold(request(accountId, 1_000n));
    if (result.kind !== 'held') throw new Error(`no hold: ${result.kind}`);
    const charge = record(accountId, 10n);
    await result.hold.capture(charge);
    process.stdout.write(`${charge.requestId}\n`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
};
await Promise.all([client(), client(), client()]);
