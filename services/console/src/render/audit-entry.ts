import { ROLE_NAMES } from '@tollgate/common/actors/roles';
import { VIA } from '@tollgate/common/actors/token';
import type { Actor, AuditEntry } from '@tollgate/proto/audit';
import { required } from '../required.ts';
import { renderTime, textOrNull } from './time.ts';

export function renderAuditEntry(entry: AuditEntry) {
  return {
    entry_id: entry.entryId,
    created_at: renderTime(entry.createdAtMs),
    account_id: textOrNull(entry.accountId),
    actor: renderActor(required(entry.actor)),
    action: entry.action,
    target_id: entry.targetId,
    target_name: entry.targetName,
    details: entry.details,
  };
}

function renderActor(actor: Actor) {
  return {
    id: actor.actorId,
    name: actor.name,
    role: actor.role === '' ? null : oneOf(ROLE_NAMES, actor.role),
    via: oneOf(VIA, actor.via),
  };
}

function oneOf<T extends string>(known: readonly T[], text: string): T {
  const found = known.find((each) => each === text);
  if (found === undefined) throw new Error(`an audit entry has the unknown value ${text}`);
  return found;
}
