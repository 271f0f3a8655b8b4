import { z } from 'zod';
import { exported, exportFormat } from './exports.ts';
import { accountPath, actor, cursor, id, limit, nextCursor, range, time } from './fields.ts';
import { operation } from './operation.ts';

const OWNER = ['operator', 'owner'] as const;

export const auditEntry = z.object({
  entry_id: id,
  created_at: time,
  account_id: id.nullable().describe('Null: it concerns no account.'),
  actor,
  action: z.string().describe('Such as `key.delete`.'),
  target_id: z.string().describe('Of what was changed.'),
  target_name: z.string(),
  details: z.record(z.string(), z.string()).describe('Old and new values, by name.'),
});

/** In the log of all accounts. */
export const namedAuditEntry = auditEntry.extend({
  account_name: z.string().nullable().describe('Its name now. Null: it concerns no account.'),
});

export const auditFilters = {
  ...range,
  actor_id: id.optional().describe('Only by this person or management key.'),
  target_id: z.string().max(100).optional().describe('Only of this key, member, deposit or setting.'),
  action: z
    .string()
    .max(100)
    .optional()
    .describe('An action, such as `key.delete`, or its part before the point: `key`.'),
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
