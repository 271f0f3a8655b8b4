import type { CreditDesk } from '../credit-desk.ts';
import type { CreditDeskOptions } from '../types.ts';
import { createDesk, temporaryFolder } from './desk-fixture.ts';
import { LedgerProcess } from './ledger-process.ts';

/** How long requests wait for credit unless a test says so: also of a ledger that has just started, on a busy machine. */
const WAIT_MS = 10_000;

/** For tests in which requests wait in vain. */
export const WAITS_BRIEFLY = { limits: { waitMs: 3_000 } };

/** A real ledger, and the desks that one test after the other opens on it. */
export class Desks {
  readonly ledger: LedgerProcess;
  readonly #open: CreditDesk[] = [];
  readonly #folders: Awaited<ReturnType<typeof temporaryFolder>>[] = [];

  private constructor(ledger: LedgerProcess) {
    this.ledger = ledger;
  }

  static async create(): Promise<Desks> {
    return new Desks(await LedgerProcess.create());
  }

  /** Starts one with a journal of its own, that is ready. */
  async start(options: Partial<CreditDeskOptions> = {}): Promise<CreditDesk> {
    const folder = await this.folder();
    const desk = createDesk(this.ledger.newClient(), folder, {
      ...options,
      limits: { waitMs: WAIT_MS, ...options.limits },
    });
    this.add(desk);
    await desk.start();
    if (!desk.ready()) throw new Error('a desk has started and is not ready');
    return desk;
  }

  /** A folder that is removed after the test. */
  async folder(): Promise<string> {
    const folder = await temporaryFolder();
    this.#folders.push(folder);
    return folder.path;
  }

  /** Drains a desk that was started elsewhere, too. */
  add(desk: CreditDesk): void {
    this.#open.push(desk);
  }

  /** Whether every charge of all desks is settled. */
  settled(): boolean {
    return this.#open.every((desk) => desk.stats().unsettled === 0);
  }

  /** Drains all desks and removes their folders: for the end of each test. */
  async clear(): Promise<void> {
    await Promise.all(this.#open.splice(0).map((desk) => desk.drain(100)));
    for (const folder of this.#folders.splice(0)) await folder.remove();
  }
}
