import { readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readSegment } from '@tollgate/ingress/wallet/journal/frame';
import { Wallet } from '@tollgate/ingress/wallet/wallet';
import { Charge, type LedgerServiceClient } from '@tollgate/proto/ledger';
import { silent } from '../support/database.ts';
import { type Actor, asActor, type VirtualTime } from '../support/virtual-time.ts';

const FRAME_HEADER_BYTES = 8;

/** The state of a killed ingress's journal. A record with a bad payload is lost, one with a bad length is not. */
export type JournalDamage = 'intact' | 'torn' | 'bad_payload' | 'bad_length';

/** An ingress on one journal folder, one process after another: the real wallet on a simulated machine. */
export class Ingress {
  readonly name: string;
  readonly folder: string;
  readonly #time: VirtualTime;
  readonly #connect: (actor: Actor) => LedgerServiceClient;
  readonly #settleBeforeEndMs: number;
  #process: (Actor & { wallet: Wallet }) | undefined;
  #starts = 0;
  /** Offset of this machine's clock. */
  aheadMs = 0;
  /** When the pause began, and whether the machine's monotonic clock stands still meanwhile. */
  #pause: { sinceMs: number; suspended: boolean } | undefined;
  #standstillMs = 0;

  constructor(
    name: string,
    folder: string,
    time: VirtualTime,
    connect: (actor: Actor) => LedgerServiceClient,
    settleBeforeEndMs: number,
  ) {
    this.name = name;
    this.folder = folder;
    this.#time = time;
    this.#connect = connect;
    this.#settleBeforeEndMs = settleBeforeEndMs;
  }

  /** Its machine's clock. */
  get nowMs(): number {
    return this.#time.nowMs + this.aheadMs;
  }

  get running(): boolean {
    return this.#process !== undefined;
  }

  /** Running, and not paused. */
  get awake(): boolean {
    return this.#process !== undefined && !this.#process.paused;
  }

  get actor(): Actor | undefined {
    return this.#process;
  }

  /** Starts a process. */
  start(): void {
    if (this.#process !== undefined) return;
    this.#starts += 1;
    const actor: Actor = { name: `${this.name}.${this.#starts}`, paused: false, dead: false };
    const wallet = asActor(
      actor,
      () =>
        new Wallet({
          ledger: this.#connect(actor),
          journalDir: this.folder,
          journalMaxBytes: 256 * 1024,
          ingressName: this.name,
          logger: silent,
          clock: { monotonicMs: () => this.#time.nowMs - this.#standstillMs, wallMs: () => this.nowMs },
          limits: { settleBeforeEndMs: this.#settleBeforeEndMs },
        }),
    );
    this.#process = Object.assign(actor, { wallet });
    // It resolves once holds can be made; until then they are refused.
    void asActor(actor, () => wallet.start());
  }

  /** Runs work with the wallet as part of the process; undefined if none is running. */
  use<T>(work: (wallet: Wallet) => T): T | undefined {
    const running = this.#process;
    return running === undefined || running.paused ? undefined : asActor(running, () => work(running.wallet));
  }

  /** Stops the process gracefully. */
  stop(graceMs: number): Promise<void> {
    return this.use((wallet) => wallet.drain(graceMs)) ?? Promise.resolve();
  }

  /** The process has ended after a stop. */
  ended(): void {
    if (this.#process !== undefined) this.#process.dead = true;
    this.#process = undefined;
  }

  /** Kills the process; its journal stays. Call it when nothing is in progress. */
  async kill(): Promise<Actor | undefined> {
    const killed = this.#process;
    this.resume();
    this.ended();
    // The lock names the test process, which is still alive.
    await rm(join(this.folder, 'lock'), { force: true });
    return killed;
  }

  /** Pauses the machine; `suspended`: its monotonic clock stops too. */
  pause(suspended: boolean): void {
    if (this.#process === undefined || this.#pause !== undefined) return;
    this.#process.paused = true;
    this.#pause = { sinceMs: this.#time.nowMs, suspended };
  }

  resume(): void {
    const pause = this.#pause;
    this.#pause = undefined;
    if (pause === undefined || this.#process === undefined) return;
    this.#process.paused = false;
    if (!pause.suspended) return;
    const ms = this.#time.nowMs - pause.sinceMs;
    this.#standstillMs += ms;
    this.#time.putOff(this.#process, ms);
  }

  /** Damages a killed ingress's journal. @returns the request whose record is lost */
  lose(journal: JournalDamage, pick: number): Promise<string | undefined> {
    switch (journal) {
      case 'intact':
        return Promise.resolve(undefined);
      case 'torn':
        return this.#tear();
      case 'bad_payload':
      case 'bad_length':
        return this.#damage(journal, pick);
      default:
        return journal satisfies never;
    }
  }

  /**
   * Truncates the journal's last record, as the end of a node may. Call it for a killed process.
   *
   * @returns the request whose record is lost
   */
  async #tear(): Promise<string | undefined> {
    const files = (await readdir(this.folder)).filter((name) => name.endsWith('.journal'));
    let last: { path: string; at: number; requestId: string } | undefined;
    for (const file of files.sort(byNumber)) {
      const path = join(this.folder, file);
      const bytes = await readFile(path);
      const payload = readSegment(bytes).payloads.at(-1);
      if (payload === undefined) continue;
      last = {
        path,
        at: bytes.length - payload.length - FRAME_HEADER_BYTES,
        requestId: Charge.decode(payload).requestId,
      };
    }
    if (last === undefined) return undefined;
    await truncate(last.path, last.at + FRAME_HEADER_BYTES + 3);
    return last.requestId;
  }

  /**
   * Flips a bit in one of the journal's records. Call it for a killed process.
   *
   * @returns the request whose record is lost, if any
   */
  async #damage(part: 'bad_payload' | 'bad_length', pick: number): Promise<string | undefined> {
    const files = (await readdir(this.folder)).filter((name) => name.endsWith('.journal')).sort(byNumber);
    const file = files[pick % files.length];
    if (file === undefined) return undefined;
    const path = join(this.folder, file);
    const bytes = await readFile(path);
    const payloads = readSegment(bytes).payloads;
    const payload = payloads[pick % payloads.length];
    if (payload === undefined) return undefined;
    const { requestId } = Charge.decode(payload);
    const at = payload.byteOffset - bytes.byteOffset - (part === 'bad_length' ? FRAME_HEADER_BYTES : 0);
    bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << (pick % 8)), at);
    await writeFile(path, bytes);
    return part === 'bad_payload' ? requestId : undefined;
  }

  /** Segments of the journal. */
  async segments(): Promise<number> {
    const files = await readdir(this.folder).catch(() => []);
    return files.filter((name) => name.endsWith('.journal')).length;
  }
}

/** Segments are named by their session, a UUIDv7, and their number in it. */
function byNumber(a: string, b: string): number {
  const session = a.slice(0, 36).localeCompare(b.slice(0, 36));
  return session !== 0 ? session : Number.parseInt(a.slice(37), 10) - Number.parseInt(b.slice(37), 10);
}
