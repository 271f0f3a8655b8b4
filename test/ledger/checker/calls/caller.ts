import { status } from '@grpc/grpc-js';
import { raiseEpoch } from '@tollgate/ledger/store/meta';
import {
  DepositKind,
  type LeaseRequest,
  type LeaseResponse,
  type SettleRequest,
  type SettleResponse,
} from '@tollgate/proto/ledger';
import type { Replica } from '../support/replica.ts';
import { ServerCall } from '../support/server-call.ts';
import { callUnary } from '../support/unary-call.ts';
import { asActor } from '../support/virtual-time.ts';
import { ceilingOf } from './ceilings.ts';
import type { DepositLabel, Operation, Result } from './operations.ts';

const KINDS: Readonly<Record<DepositLabel, DepositKind>> = {
  deposit: DepositKind.DEPOSIT,
  adjustment: DepositKind.ADJUSTMENT,
  refund: DepositKind.REFUND,
  dispute: DepositKind.DISPUTE,
};

type LeaseMessage = NonNullable<LeaseRequest['message']>;

/** Calls one replica of the ledger like an ingress, one message of a session at a time. */
export class Caller {
  readonly #replica: Replica;
  readonly #sessions = new Map<string, LeaseCaller>();

  constructor(replica: Replica) {
    this.#replica = replica;
  }

  /** Whether a Lease call of the session is in progress. */
  has(session: string): boolean {
    return this.#sessions.has(session);
  }

  run(operation: Operation): Promise<Result> {
    return asActor(this.#replica, () => this.#run(operation));
  }

  async #run(operation: Operation): Promise<Result> {
    switch (operation.kind) {
      case 'deposit':
        return this.#deposit(operation);
      case 'open':
        return this.#lease(operation.session, {
          $case: 'open',
          value: { sessionId: operation.session, ingressName: 'history' },
        });
      case 'beat':
        return this.#lease(operation.session, {
          $case: 'heartbeat',
          value: { sequence: operation.sequence, held: [], unsettledCharges: 0n, oldestUnsettledMs: 0n },
        });
      case 'acquire':
        return this.#lease(operation.session, {
          $case: 'acquire',
          value: {
            accountId: operation.account,
            sequence: operation.sequence,
            needs: operation.needs.map(({ cap, needed, limit, revision }) => {
              return { ceiling: ceilingOf(cap), grantedTotalNeeded: needed, limitNanos: limit, revision };
            }),
            prefetch: false,
          },
        });
      case 'return':
        return this.#lease(operation.session, {
          $case: 'return',
          value: { accountId: operation.account, ceiling: ceilingOf(operation.cap), returnedTotal: operation.total },
        });
      case 'close':
        return this.#lease(operation.session, { $case: 'close', value: { sessionId: operation.closed } });
      case 'settle':
        return this.#settle(operation);
      case 'sweep':
        return { kind: 'swept', sessions: (await this.#replica.sweep()).sort() };
      case 'end_lots':
        await this.#replica.endLots();
        return { kind: 'ended' };
      case 'raise_epoch':
        await raiseEpoch(this.#replica.faultyPool.pool);
        return { kind: 'raised' };
      default:
        return operation satisfies never;
    }
  }

  async #deposit({ account, label, amount, key, of, lot }: Extract<Operation, { kind: 'deposit' }>): Promise<Result> {
    try {
      const { repeated, deposit } = await callUnary(this.#replica.handlers.deposit, {
        accountId: account,
        kind: KINDS[label],
        amountNanos: amount,
        idempotencyKey: key,
        reason: 'history',
        depositId: of,
        ...(lot === undefined ? {} : { priority: lot.priority }),
        ...(lot?.endsAtMs === undefined ? {} : { endsAtMs: BigInt(lot.endsAtMs) }),
      });
      return { kind: repeated ? 'repeated' : 'made', id: deposit?.depositId ?? '' };
    } catch (error) {
      const code = error instanceof Object && 'code' in error ? error.code : undefined;
      if (code === status.ALREADY_EXISTS) return { kind: 'other_input' };
      if (code === status.FAILED_PRECONDITION || code === status.NOT_FOUND) return { kind: 'short' };
      // Only an end that has passed is malformed.
      if (code === status.INVALID_ARGUMENT) return { kind: 'short' };
      throw error;
    }
  }

  async #lease(session: string, message: LeaseMessage): Promise<Result> {
    const known = this.#sessions.get(session) ?? new LeaseCaller(this.#replica);
    this.#sessions.set(session, known);
    return known.ask(message);
  }

  #settle({ charges }: Extract<Operation, { kind: 'settle' }>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const call = new ServerCall<SettleRequest, SettleResponse>({
        sent: ({ outcomes }) => {
          resolve({ kind: 'settled', outcomes });
          call.halfClose();
        },
        ended: (error) => reject(error ?? new Error('the ledger ended the call')),
      });
      this.#replica.handlers.settle(call);
      call.receive({ sequence: 1n, charges });
    });
  }
}

/** One Lease call. */
class LeaseCaller {
  readonly #call: ServerCall<LeaseRequest, LeaseResponse>;
  #waiting: PromiseWithResolvers<Result> | undefined;

  constructor(replica: Replica) {
    this.#call = new ServerCall<LeaseRequest, LeaseResponse>({
      sent: ({ message }) => {
        const response = message === undefined ? undefined : answerOf(message);
        if (response !== undefined) this.#waiting?.resolve(response);
      },
      ended: (error) => this.#waiting?.reject(error ?? new Error('the ledger ended the call')),
    });
    replica.handlers.lease(this.#call);
  }

  ask(message: LeaseMessage): Promise<Result> {
    this.#waiting = Promise.withResolvers();
    this.#call.receive({ message });
    return this.#waiting.promise;
  }
}

/** The response in a message; undefined for what the ledger sends on its own. */
function answerOf(message: NonNullable<LeaseResponse['message']>): Result | undefined {
  switch (message.$case) {
    case 'opened':
      return { kind: 'opened' };
    case 'heartbeat':
      return { kind: 'confirmed' };
    case 'lease':
      return { kind: 'lease', state: message.value };
    case 'fenced':
      return { kind: 'fenced' };
    case 'closed':
      return { kind: 'closed' };
    case 'released':
    case 'recall':
      return undefined;
    default:
      return message satisfies never;
  }
}
