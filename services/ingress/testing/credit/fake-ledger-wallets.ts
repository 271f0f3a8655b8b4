import { newId } from '@tollgate/common/ids';
import type { WalletOptions } from '../../src/wallet/credit/types.ts';
import type { Wallet } from '../../src/wallet/wallet.ts';
import { createWallet, heldBy, record, request, temporaryFolder } from './credit-fixture.ts';
import { FakeLedger } from './fake-ledger.ts';

/** A fake ledger, a journal folder, and the wallets that a test opens on them. */
export class FakeLedgerManagers {
  readonly ledger: FakeLedger;
  readonly folder: Awaited<ReturnType<typeof temporaryFolder>>;
  readonly #open: Wallet[] = [];

  private constructor(ledger: FakeLedger, folder: Awaited<ReturnType<typeof temporaryFolder>>) {
    this.ledger = ledger;
    this.folder = folder;
  }

  /** @param extraNanos granted beyond each need, instead of the fake ledger's default */
  static async create(extraNanos?: bigint): Promise<FakeLedgerManagers> {
    const ledger = new FakeLedger();
    if (extraNanos !== undefined) ledger.extraNanos = extraNanos;
    await ledger.start();
    return new FakeLedgerManagers(ledger, await temporaryFolder());
  }

  async start(options: Partial<WalletOptions> = {}, journalDir = this.folder.path): Promise<Wallet> {
    const wallet = createWallet(this.ledger.client(), journalDir, options);
    this.#open.push(wallet);
    await wallet.start();
    return wallet;
  }

  /** A new account with this balance. */
  funded(nanos: bigint): string {
    const accountId = newId();
    this.ledger.deposit(accountId, nanos);
    return accountId;
  }

  /** Charges an account once. @returns the request id */
  async chargeOne(wallet: Wallet, accountId: string, nanos = 10n): Promise<string> {
    const charge = record(accountId, nanos);
    await heldBy(await wallet.hold(request(accountId, 100n))).capture(charge);
    return charge.requestId;
  }

  async close(): Promise<void> {
    this.ledger.releaseSettlements();
    await Promise.all(this.#open.map((wallet) => wallet.drain(0)));
    this.ledger.stop();
    await this.folder.remove();
  }
}
