import { MAX_CATALOGUE_BYTES } from '@tollgate/common/catalogue-size';
import { z } from 'zod';
import { account } from './accounts.ts';
import { auditEntry, auditFilters, namedAuditEntry } from './audit.ts';
import { exported, exportFormat } from './exports.ts';
import { cursor, email, id, idempotencyKey, limit, money, name, nextCursor, searchText, time } from './fields.ts';
import { invitation, newInvitation } from './members.ts';
import { model } from './models.ts';
import { operation } from './operation.ts';

const OPERATOR = ['operator'] as const;

const catalogueError = z.object({ line: z.int(), column: z.int(), message: z.string() });

const allAuditFilters = { ...auditFilters, account_id: id.optional().describe('Only of this account.') };

/** Everything for the people who run the gateway. */
export const operatorOperations = {
  'GET /operator/accounts': operation({
    id: 'listAccounts',
    summary: 'Accounts with balance and spend, in order of creation',
    access: OPERATOR,
    programs: true,
    query: z.strictObject({
      limit: limit.default(100),
      cursor: cursor.optional(),
      q: searchText.optional().describe('Only accounts with this text in their name, in any case, or with this id.'),
    }),
    response: z.object({
      data: z.array(
        account.extend({
          available: money,
          held: money,
          owed: money,
          spent_this_month: money,
          runs_out_at: time
            .nullable()
            .describe('By the spending of the last 7 days; null: nothing was spent, or it lasts more than five years.'),
          loss: money.describe('The part of its charges that the operator bears.'),
        }),
      ),
      next_cursor: nextCursor,
    }),
  }),
  'GET /operator/search': operation({
    id: 'searchAll',
    summary: 'Accounts, keys and requests of all accounts that match a text',
    access: OPERATOR,
    query: z.strictObject({
      q: searchText.describe('Part of the name of an account, the beginning of that of a key, or an id.'),
    }),
    response: z.object({
      data: z.array(
        z.object({
          kind: z.enum(['account', 'key', 'request']),
          id: z.string(),
          account_id: id,
          account_name: z.string(),
          title: z.string(),
          subtitle: z.string(),
        }),
      ),
      complete: z
        .boolean()
        .describe('False: the request was not found in the accounts that could be searched in time.'),
    }),
  }),
  'POST /operator/accounts': operation({
    id: 'createAccount',
    summary: 'Create an account',
    access: OPERATOR,
    programs: true,
    body: z.strictObject({ name, idempotency_key: idempotencyKey }),
    response: account,
  }),
  'GET /operator/models': operation({
    id: 'listAllModels',
    summary: 'Models and their prices',
    access: OPERATOR,
    programs: true,
    response: z.object({ data: z.array(model) }),
  }),
  'GET /operator/providers': operation({
    id: 'listProviders',
    summary: 'Providers and deployments with their health over 15 minutes',
    access: OPERATOR,
    programs: true,
    response: z.object({
      data: z.array(
        z.object({
          provider: z.string(),
          protocol: z.string(),
          base_url: z.string(),
          simulated: z.boolean(),
          dialect: z.string().nullable().describe('As the catalogue names it.'),
          credential: z
            .enum(['unknown', 'present', 'missing', 'not_needed'])
            .describe('Whether an ingress has the credential; unknown: none is connected.'),
          credential_problem: z.string().nullable().describe('What is missing.'),
          deployments: z.array(
            z.object({
              deployment: z.string(),
              model: z.string(),
              upstream_model: z.string(),
              in_rotation: z.boolean(),
              paused_until: time.nullable(),
              successes: z.int(),
              failures: z.int(),
              timeouts: z.int(),
              rate_limited: z.int(),
              credentials_refused: z.int(),
              mean_duration_ms: z.int().nullable(),
              last_success_at: time.nullable(),
              last_failure_at: time.nullable(),
              last_failure_status: z.int().nullable(),
            }),
          ),
        }),
      ),
    }),
  }),
  'POST /operator/providers/{provider}/test': operation({
    id: 'testProvider',
    summary: 'Send a few short requests to a provider, which bills them; no account is charged',
    access: OPERATOR,
    programs: true,
    path: z.strictObject({ provider: z.string().min(1).max(200).describe('Id of a provider in the catalogue.') }),
    body: z.strictObject({
      model: z
        .string()
        .max(200)
        .optional()
        .describe('By default the cheapest that generates text, else that creates embeddings; disabled ones included.'),
      all: z.boolean().optional().describe('Check JSON schemas, reasoning and cached tokens too.'),
    }),
    response: z.object({
      provider: z.string(),
      model: z.string(),
      deployment: z.string(),
      upstream_model: z.string(),
      ingress: z.string(),
      checks: z.array(
        z.object({
          name: z.string(),
          result: z.enum(['holds', 'fails', 'lacks', 'skipped']),
          required: z.boolean().describe('The gateway needs it.'),
          duration_ms: z.int().nullable(),
          http_status: z.int().nullable(),
          detail: z.string(),
          hint: z.string().nullable().describe('What to do about it.'),
        }),
      ),
      requests: z.int(),
      input_tokens: z.int(),
      output_tokens: z.int(),
      cost: money.describe('At the price of the catalogue.'),
    }),
  }),
  'GET /operator/ledger': operation({
    id: 'getLedgerStatus',
    summary: 'Totals, operator loss, quarantine, reconciliation, and the ingresses with their lag',
    access: OPERATOR,
    programs: true,
    response: z.object({
      balance: money,
      leased: money,
      owed: money,
      revenue: money,
      loss: money,
      losses: z.array(z.object({ account_id: id, account_name: z.string(), loss: money })),
      quarantined: z.int(),
      findings: z.array(
        z.object({
          invariant: z.string(),
          account_id: z.string(),
          account_name: z.string().describe('Empty: auth does not know the account.'),
          place: z.string(),
          expected: z.string(),
          found: z.string(),
        }),
      ),
      findings_total: z.int(),
      reconciled_until: time.nullable(),
      unknown_keys: z.int().describe('Requests with unknown keys in the last 24 hours.'),
      ingresses: z.array(
        z.object({
          ingress: z.string(),
          started_at: time.nullable(),
          revocation_silent_ms: z
            .int()
            .nullable()
            .describe('Since it last pinged auth; null: it has no stream of revocations.'),
          unconfirmed_changes: z
            .int()
            .nullable()
            .describe('Changes of keys that it has not confirmed; null: it has no stream.'),
          ledger_silent_ms: z
            .int()
            .nullable()
            .describe('Since its last heartbeat at the ledger; null: it has no session there.'),
          leased: money.nullable().describe('Null: no session, or too many leases to sum.'),
          unsettled_charges: z.int().nullable().describe('In its journal; null: no session.'),
          oldest_unsettled_ms: z.int().nullable().describe('Age of the oldest of them; null: no session.'),
        }),
      ),
    }),
  }),
  'GET /operator/quarantine': operation({
    id: 'listQuarantined',
    summary: 'Charges that could not be posted',
    access: OPERATOR,
    programs: true,
    query: z.strictObject({ limit: limit.default(50), cursor: cursor.optional() }),
    response: z.object({
      data: z.array(
        z.object({
          account_id: z.string(),
          account_name: z.string().describe('Empty: auth does not know the account.'),
          request_id: z.string(),
          content_hash: z.string(),
          reason: z.string(),
          model: z.string(),
          cost: money,
          hold: money,
          times_seen: z.int(),
          first_seen_at: time,
          last_seen_at: time,
        }),
      ),
      next_cursor: nextCursor,
    }),
  }),
  'POST /operator/quarantine/repost': operation({
    id: 'repostQuarantined',
    summary: 'Post a quarantined charge again, once its cause is fixed',
    access: OPERATOR,
    programs: true,
    body: z.strictObject({
      account_id: z.string().max(200),
      request_id: z.string().max(200),
      content_hash: z.string().max(64),
    }),
    response: z.object({
      outcome: z.enum(['posted', 'duplicate', 'loss', 'quarantined']),
      reason: z.string(),
      charged: money,
    }),
  }),
  'GET /operator/catalogue': operation({
    id: 'getCatalogue',
    summary: 'The catalogue in use',
    access: OPERATOR,
    response: z.object({
      file: z.string(),
      version: z.string(),
      loaded_at: time,
      errors: z.array(catalogueError).describe('Of a newer content of the file, which is not in use.'),
      models: z.array(z.object({ model: z.string(), line: z.int() })),
    }),
  }),
  'POST /operator/catalogue/compare': operation({
    id: 'compareCatalogue',
    summary: 'What would change with another catalogue file',
    access: OPERATOR,
    programs: true,
    maxBodyBytes: 2_000_000,
    body: z.strictObject({ content: z.string().min(1).max(MAX_CATALOGUE_BYTES) }),
    response: z.object({
      errors: z.array(catalogueError),
      changes: z.array(
        z.object({ model: z.string(), field: z.string(), before: z.string().nullable(), after: z.string().nullable() }),
      ),
      last_month: z
        .object({
          start: time,
          cost: money.describe('What accounts were charged in the last whole UTC month.'),
          with_file: money.describe('With the base prices of the file, for the same usage.'),
          models: z.array(z.object({ model: z.string(), cost: money, with_file: money })),
        })
        .nullable()
        .describe('Of models whose base price changes. Null: there are too many accounts to sum.'),
    }),
  }),
  'GET /operator/operators': operation({
    id: 'listOperators',
    summary: 'Operators and their open invitations',
    access: OPERATOR,
    programs: true,
    response: z.object({
      data: z.array(z.object({ person_id: id, email: z.string(), name: z.string() })),
      invitations: z.array(invitation),
    }),
  }),
  'POST /operator/invitations': operation({
    id: 'inviteOperator',
    summary: 'Invite an operator; returns the link where e-mail is not configured',
    access: OPERATOR,
    body: z.strictObject({ email }),
    response: newInvitation,
  }),
  'DELETE /operator/invitations/{invitation_id}': operation({
    id: 'deleteOperatorInvitation',
    summary: 'Withdraw an invitation of an operator',
    access: OPERATOR,
    path: z.strictObject({ invitation_id: id }),
    response: null,
  }),
  'DELETE /operator/operators/{person_id}': operation({
    id: 'removeOperator',
    summary: 'Make a person no longer an operator; the last one stays',
    access: OPERATOR,
    path: z.strictObject({ person_id: id }),
    response: null,
  }),
  'GET /operator/audit': operation({
    id: 'listAllAudit',
    summary: 'Who did what in all accounts, newest first',
    access: OPERATOR,
    programs: true,
    query: z.strictObject({ ...allAuditFilters, limit: limit.default(50), cursor: cursor.optional() }),
    response: z.object({ data: z.array(namedAuditEntry), next_cursor: nextCursor }),
  }),
  'GET /operator/audit/export': operation({
    id: 'exportAllAudit',
    summary: 'The audit log of all accounts as CSV or as one JSON object a line, newest first',
    access: OPERATOR,
    programs: true,
    query: z.strictObject({ ...allAuditFilters, format: exportFormat }),
    response: exported(auditEntry),
  }),
};
