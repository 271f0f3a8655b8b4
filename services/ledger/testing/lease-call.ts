import { BALANCE } from '@tollgate/common/cap-periods';
import { newId } from '@tollgate/common/ids';
import type {
  AcquireCredit,
  Ceiling,
  CeilingState,
  HeldCredit,
  LeaseRequest,
  LeaseResponse,
  LeaseState,
  LedgerServiceClient,
  Need,
  RecallCredit,
} from '@tollgate/proto/ledger';
import { Duplex } from './duplex.ts';

type Message = NonNullable<LeaseRequest['message']>;

/** A heartbeat of an ingress without unsettled charges. */
export function heartbeat(sequence: bigint, held: HeldCredit[] = []): Message {
  return { $case: 'heartbeat', value: { sequence, held, unsettledCharges: 0n, oldestUnsettledMs: 0n } };
}

/** The need of a balance. */
export function balanceNeed(grantedTotalNeeded: bigint): Need {
  return { ceiling: BALANCE, grantedTotalNeeded, limitNanos: 0n, revision: 0n };
}

/** An acquire of the balance alone. */
export function balanceAcquire(accountId: string, grantedTotalNeeded: bigint, sequence = 1n): AcquireCredit {
  return { accountId, sequence, needs: [balanceNeed(grantedTotalNeeded)], prefetch: false };
}

/** A state of one ceiling, with its figures beside the account's. */
export type FlatState = Omit<LeaseState, 'ceilings'> & CeilingState;

export function flat({ ceilings, ...state }: LeaseState): FlatState {
  const [ceiling, ...others] = ceilings;
  if (ceiling === undefined || others.length > 0) throw new Error(`the state is of ${ceilings.length} ceilings`);
  return { ...state, ...ceiling };
}

/** One Lease stream, with its messages as on the wire. */
export class LeaseCall extends Duplex<LeaseRequest, LeaseResponse> {
  constructor(client: LedgerServiceClient) {
    super(client.lease());
  }

  /** A stream with an open session. */
  static async opened(client: LedgerServiceClient, sessionId = newId()): Promise<LeaseCall> {
    const call = new LeaseCall(client);
    const response = await call.open(sessionId);
    if (response?.$case !== 'opened') throw new Error(`the session was not opened: ${response?.$case}`);
    return call;
  }

  ask(message: Message): Promise<LeaseResponse['message']> {
    this.send({ message });
    return this.message();
  }

  message(): Promise<LeaseResponse['message']> {
    return this.next().then((response) => response.message);
  }

  open(sessionId: string): Promise<LeaseResponse['message']> {
    return this.ask({ $case: 'open', value: { sessionId, ingressName: 'ingress-0' } });
  }

  /** Acquires credit of the balance. */
  acquire(accountId: string, grantedTotalNeeded: bigint, sequence = 1n): Promise<FlatState> {
    this.send({ message: { $case: 'acquire', value: balanceAcquire(accountId, grantedTotalNeeded, sequence) } });
    return this.lease();
  }

  giveBack(accountId: string, returnedTotal: bigint, ceiling: Ceiling = BALANCE): Promise<FlatState> {
    this.send({ message: { $case: 'return', value: { accountId, ceiling, returnedTotal } } });
    return this.lease();
  }

  /** The next message except recalls, which must be the lease of one ceiling. */
  async lease(): Promise<FlatState> {
    return flat(await this.state());
  }

  /** The next message except recalls, which must be about leases. */
  async state(): Promise<LeaseState> {
    let message = await this.message();
    while (message?.$case === 'recall') message = await this.message();
    if (message?.$case !== 'lease') throw new Error(`expected a lease, got ${message?.$case}`);
    return message.value;
  }

  /** The next message, which must be a recall of credit. */
  async recalled(): Promise<RecallCredit> {
    const message = await this.message();
    if (message?.$case !== 'recall') throw new Error(`expected a recall, got ${message?.$case}`);
    return message.value;
  }
}
