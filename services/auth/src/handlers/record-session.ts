import { RpcError } from '@tollgate/common/errors';
import { uuidArgument } from '@tollgate/common/grpc/arguments';
import type { UnaryHandler } from '@tollgate/common/grpc/handler';
import type { Pool } from '@tollgate/common/postgres/pool';
import { type RecordSessionRequest, type RecordSessionResponse, SessionEvent } from '@tollgate/proto/auth';
import { actorOfPerson } from '../people/actor-of-person.ts';
import { type AuditActor, insertAudit } from '../store/audit.ts';
import { findPerson, findPersonByEmail, type PersonRow } from '../store/people.ts';
import { auditDetailsArgument, emailArgument } from './people-arguments.ts';

/** Whoever was refused is not known. */
const SOMEBODY: AuditActor = { id: '', name: 'somebody', role: '', via: 'console' };

/** Records that a session of a person has begun or was ended, or that a sign-in was refused. */
export function createRecordSessionHandler({
  pool,
}: {
  pool: Pool;
}): UnaryHandler<RecordSessionRequest, RecordSessionResponse> {
  return async (request) => {
    const details = auditDetailsArgument('details', request.details);
    const person = await personOf(pool, request.who);
    if (person === undefined) return {};
    const target = { accountId: undefined, targetId: person.person_id, targetName: person.email, details };
    await insertAudit(pool, { ...target, ...changeOf(request.event, person) });
    return {};
  };
}

async function personOf(pool: Pool, who: RecordSessionRequest['who']): Promise<PersonRow | undefined> {
  switch (who?.$case) {
    case undefined:
      throw new RpcError('invalid_argument', 'who: person_id or email must be set');
    case 'personId':
      return findPerson(pool, uuidArgument('person_id', who.value));
    case 'email':
      return findPersonByEmail(pool, emailArgument('email', who.value));
    default:
      return who satisfies never;
  }
}

function changeOf(event: SessionEvent, person: PersonRow): { action: string; actor: AuditActor } {
  switch (event) {
    case SessionEvent.UNSPECIFIED:
      throw new RpcError('invalid_argument', 'event: required');
    case SessionEvent.BEGUN:
      return { action: 'session.begin', actor: actorOfPerson(person) };
    case SessionEvent.REFUSED:
      return { action: 'session.refuse', actor: SOMEBODY };
    case SessionEvent.ENDED:
      return { action: 'session.end', actor: actorOfPerson(person) };
    default:
      return event satisfies never;
  }
}
