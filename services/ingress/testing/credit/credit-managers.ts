import type { CreditManager } from '../../src/wallet/credit/credit-manager.ts';
import type { CreditManagerOptions } from '../../src/wallet/credit/types.ts';
import { createCreditManager, temporaryFolder } from './credit-fixture.ts';
import { LedgerProcess } from './ledger-process.ts';

/** How long requests wait for credit by default: enough for a ledger that has just started on a busy machine. */
const WAIT_MS = 10_000;

/** For tests in which requests wait without success. */
export const WAITS_BRIEFLY = { limits: { waitMs: 3_000 } };

/** A real ledger, and the credit managers that tests open on it. */
export class CreditManagers {
  readonly ledger: LedgerProcess;
  readonly #open: CreditManager[] = [];
  readonly #folders: Awaited<ReturnType<typeof temporaryFolder>>[] = [];

  private constructor(ledger: LedgerProcess) {
    this.ledger = ledger;
  }

  static async create(): Promise<CreditManagers> {
    return new CreditManagers(await LedgerProcess.create());
  }

  /** Starts a credit manager with its own journal, and waits until it is ready. */
  async start(options: Partial<CreditManagerOptions> = {}): Promise<CreditManager> {
    const folder = await this.folder();
    const manager = createCreditManager(this.ledger.newClient(), folder, {
      ...options,
      limits: { waitMs: WAIT_MS, ...options.limits },
    });
    this.add(manager);
    await manager.start();
    if (!manager.ready()) throw new Error('a credit manager has started and is not ready');
    return manager;
  }

  /** A folder that is removed after the test. */
  async folder(): Promise<string> {
    const folder = await temporaryFolder();
    this.#folders.push(folder);
    return folder.path;
  }

  /** Adds a credit manager that was started elsewhere, to drain it too. */
  add(manager: CreditManager): void {
    this.#open.push(manager);
  }

  /** Whether all charges are settled. */
  settled(): boolean {
    return this.#open.every((manager) => manager.stats().unsettled === 0);
  }

  /** Drains all credit managers and removes their folders; call it after each test. */
  async clear(): Promise<void> {
    await Promise.all(this.#open.splice(0).map((manager) => manager.drain(100)));
    for (const folder of this.#folders.splice(0)) await folder.remove();
  }
}
