import type { RecallBus, RecallMessage } from '@tollgate/ledger/recall/bus';
import { type Actor, asActor } from './virtual-time.ts';

interface Member {
  actor: Actor;
  received: (message: RecallMessage) => void;
}

/** Connects replicas for recalls, in place of Postgres's notifications and advisory locks. */
export class RecallHub {
  readonly #members = new Map<string, Member>();
  readonly #locks = new Map<string, string>();
  /** Messages between replicas are lost. */
  mute = false;

  /** The bus of one replica. */
  join(actor: Actor): RecallBus {
    const member: Member = { actor, received: () => undefined };
    this.#members.set(actor.name, member);
    return {
      replica: actor.name,
      start: () => Promise.resolve(),
      publish: (message) => this.#publish(actor.name, message),
      lock: (scope) => {
        const holder = this.#locks.get(scope);
        if (holder === undefined) this.#locks.set(scope, actor.name);
        return Promise.resolve(holder === undefined);
      },
      unlock: (scope) => {
        if (this.#locks.get(scope) === actor.name) this.#locks.delete(scope);
        this.#publish(actor.name, { kind: 'done', from: actor.name, scope });
      },
      subscribe: (received) => {
        member.received = received;
      },
      stop: () => Promise.resolve(),
    };
  }

  /** A replica died: its locks are released. */
  leave(name: string): void {
    this.#members.delete(name);
    for (const [scope, holder] of this.#locks) if (holder === name) this.#locks.delete(scope);
  }

  #publish(from: string, message: RecallMessage): void {
    if (this.mute) return;
    for (const [name, { actor, received }] of this.#members) {
      if (name !== from) asActor(actor, () => process.nextTick(received, message));
    }
  }
}
