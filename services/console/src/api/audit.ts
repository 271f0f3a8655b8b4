import { z } from 'zod';
import { exported, exportFormat } from './exports.ts';
import { accountPath, actor, cursor, id, limit, nextCursor, range, time } from './fields.ts';
import { operation } from './operation.ts';

const OWNER = ['operator', 'owner'] as const;

export const auditEntry = z.object({
  entry_id: id,
  created_at: time,
  account_id: id.nullable(),
  actor,
  action: z.string().describe('Such as `key.delete`.'),
  target_id: z.string(),
  target_name: z.string(),
  details: z.record(z.string(), z.string()),
});

export const auditFilters = {
  ...range,
  actor_id: id.optional(),
  target_id: z.string().max(100).optional(),
  action: z.string().max(100).optional(),
};

/** The audit log of an account. */
export const auditOperations = {
  'GET /accounts/{account_id}/audit': operation({
    id: 'listAudit',
    summary: 'Who did what, newest first',
    access: OWNER,
    programs: true,
    path: accountPath,
    query: z.strictObject({ ...auditFilters, limit: limit.default(50), cursor: cursor.optional() }),
    response: z.object({ data: z.array(auditEntry), next_cursor: nextCursor }),
  }),
  'GET /accounts/{account_id}/audit/export': operation({
    id: 'exportAudit',
    summary: 'The audit log as CSV or as one JSON object a line, newest first',
    access: OWNER,
    programs: true,
    path: accountPath,
    query: z.strictObject({ ...auditFilters, format: exportFormat }),
    response: exported(auditEntry),
  }),
};
