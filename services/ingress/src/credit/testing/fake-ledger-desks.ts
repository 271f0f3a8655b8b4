import { newId } from '@tollgate/common/ids';
import type { CreditDesk } from '../credit-desk.ts';
import type { CreditDeskOptions } from '../types.ts';
import { createDesk, heldBy, record, request, temporaryFolder } from './desk-fixture.ts';
import { FakeLedger } from './fake-ledger.ts';

/** A fake ledger, a folder for journals, and the desks that a test opens on them. */
export class FakeLedgerDesks {
  readonly ledger: FakeLedger;
  readonly folder: Awaited<ReturnType<typeof temporaryFolder>>;
  readonly #open: CreditDesk[] = [];

  private constructor(ledger: FakeLedger, folder: Awaited<ReturnType<typeof temporaryFolder>>) {
    this.ledger = ledger;
    this.folder = folder;
  }

  /** @param extraNanos what the ledger grants beyond each need, where that is not its own default */
  static async create(extraNanos?: bigint): Promise<FakeLedgerDesks> {
    const ledger = new FakeLedger();
    if (extraNanos !== undefined) ledger.extraNanos = extraNanos;
    await ledger.start();
    return new FakeLedgerDesks(ledger, await temporaryFolder());
  }

  async start(options: Partial<CreditDeskOptions> = {}, journalDir = this.folder.path): Promise<CreditDesk> {
    const desk = createDesk(this.ledger.client(), journalDir, options);
    this.#open.push(desk);
    await desk.start();
    return desk;
  }

  /** An account with that much. */
  funded(nanos: bigint): string {
    const accountId = newId();
    this.ledger.deposit(accountId, nanos);
    return accountId;
  }

  /** Charges an account once. @returns the id of the request */
  async chargeOne(desk: CreditDesk, accountId: string, nanos = 10n): Promise<string> {
    const charge = record(accountId, nanos);
    await heldBy(await desk.hold(request(accountId, 100n))).charge(charge);
    return charge.requestId;
  }

  async close(): Promise<void> {
    this.ledger.releaseSettlements();
    await Promise.all(this.#open.map((desk) => desk.drain(0)));
    this.ledger.stop();
    await this.folder.remove();
  }
}
