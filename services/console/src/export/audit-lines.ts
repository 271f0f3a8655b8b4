import { writerOf } from '@tollgate/common/descriptors/json';
import type { AuditEntry as AuditEntryJson } from '@tollgate/proto/api-types';
import type { AuditEntry } from '@tollgate/proto/audit';
import { csvRecord } from './csv.ts';

const toJson = writerOf<AuditEntry, AuditEntryJson>('tollgate.audit.v1.AuditEntry');

export const AUDIT_CSV_HEADER = csvRecord([
  'entry_id',
  'created_at',
  'account_id',
  'actor_id',
  'actor_name',
  'actor_role',
  'via',
  'action',
  'target_id',
  'target_name',
  'details',
]);

/** An audit entry as one record of CSV. */
export function auditEntryToCsv(entry: AuditEntry): string {
  const { actor, ...rendered } = toJson(entry);
  return csvRecord([
    rendered.entry_id,
    rendered.created_at,
    rendered.account_id,
    actor.id,
    actor.name,
    actor.role,
    actor.via,
    rendered.action,
    rendered.target_id,
    rendered.target_name,
    JSON.stringify(rendered.details),
  ]);
}

/** An audit entry as one line of JSON. */
export function auditEntryToJson(entry: AuditEntry): string {
  return `${JSON.stringify(toJson(entry))}\n`;
}
