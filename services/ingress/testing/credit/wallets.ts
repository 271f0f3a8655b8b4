import type { WalletOptions } from '../../src/wallet/credit/types.ts';
import type { Wallet } from '../../src/wallet/wallet.ts';
import { createWallet, temporaryFolder } from './credit-fixture.ts';
import { LedgerProcess } from './ledger-process.ts';

/** How long requests wait for credit by default: enough for a ledger that has just started on a busy machine. */
const WAIT_MS = 10_000;

/** For tests in which requests wait without success. */
export const WAITS_BRIEFLY = { limits: { waitMs: 3_000 } };

/** A real ledger, and the wallets that tests open on it. */
export class Wallets {
  readonly ledger: LedgerProcess;
  readonly #open: Wallet[] = [];
  readonly #folders: Awaited<ReturnType<typeof temporaryFolder>>[] = [];

  private constructor(ledger: LedgerProcess) {
    this.ledger = ledger;
  }

  static async create(): Promise<Wallets> {
    return new Wallets(await LedgerProcess.create());
  }

  /** Starts a wallet with its own journal, and waits until it is ready. */
  async start(options: Partial<WalletOptions> = {}): Promise<Wallet> {
    const folder = await this.folder();
    const wallet = createWallet(this.ledger.newClient(), folder, {
      ...options,
      limits: { waitMs: WAIT_MS, ...options.limits },
    });
    this.add(wallet);
    await wallet.start();
    if (!wallet.ready()) throw new Error('a wallet has started and is not ready');
    return wallet;
  }

  /** A folder that is removed after the test. */
  async folder(): Promise<string> {
    const folder = await temporaryFolder();
    this.#folders.push(folder);
    return folder.path;
  }

  /** Adds a wallet that was started elsewhere, to drain it too. */
  add(wallet: Wallet): void {
    this.#open.push(wallet);
  }

  /** Whether all charges are settled. */
  settled(): boolean {
    return this.#open.every((wallet) => wallet.stats().unsettled === 0);
  }

  /** Drains all wallets and removes their folders; call it after each test. */
  async clear(): Promise<void> {
    await Promise.all(this.#open.splice(0).map((wallet) => wallet.drain(100)));
    for (const folder of this.#folders.splice(0)) await folder.remove();
  }
}
