import type { ServiceDefinition } from '@grpc/grpc-js';
import { AuthServiceService } from '@tollgate/proto/auth';
import { LedgerServiceService } from '@tollgate/proto/ledger';
import { PaymentsServiceService } from '@tollgate/proto/payments';
import { RouterServiceService } from '@tollgate/proto/router';
import { describe, expect, it } from 'vitest';
import { ALLOWED_CALLERS } from '../grpc/callers.ts';
import { PERMISSIONS } from './permissions.ts';
import { ROLE_NAMES } from './roles.ts';

const SERVICES: ServiceDefinition[] = [
  AuthServiceService,
  LedgerServiceService,
  RouterServiceService,
  PaymentsServiceService,
];
const METHODS = SERVICES.flatMap((definition) => Object.values(definition));
const UNARY = METHODS.filter(({ requestStream, responseStream }) => !requestStream && !responseStream);

/** The calls that need no actor, and the callers that may make them. */
const WITHOUT_ACTOR = {
  ResolveKey: ['ingress'],
  CreateDerivedKey: ['ingress'],
  ReportKeyUse: ['ingress'],
  RecordRefusals: ['ingress'],
  BookPayment: ['payments'],
  GetBalances: ['payments'],
  CheckSession: ['console'],
  IssueActorToken: ['console'],
  IssueManagementKeyToken: ['console'],
  GetCredential: ['console'],
  GetPasswordReset: ['console'],
  GetPerson: ['console'],
  RecordSession: ['console'],
  UpdatePerson: ['console'],
  SignInWithIdentity: ['console'],
  EnsureFirstOperator: ['console'],
  ResetPassword: ['console'],
  GetInvitation: ['console'],
  AcceptInvitation: ['console'],
  ListAlertRecipients: ['console'],
  ListEventsAfter: ['console'],
};

describe('the permissions', () => {
  it('name every unary method and no other', () => {
    expect(Object.keys(PERMISSIONS).sort()).toEqual(UNARY.map(({ path }) => path).sort());
  });

  it('let exactly these calls be made without an actor, each by few callers', () => {
    const open = Object.entries(PERMISSIONS).filter(([, permission]) => permission === 'caller');
    const callers = open.map(([path]) => [path.slice(path.lastIndexOf('/') + 1), ALLOWED_CALLERS[path]]);
    expect(Object.fromEntries(callers)).toEqual(WITHOUT_ACTOR);
  });

  it('let only a password reset be requested without signing in', () => {
    const anonymous = Object.entries(PERMISSIONS).filter(([, it]) => it !== 'caller' && it.anonymous === true);
    expect(anonymous.map(([path]) => path)).toEqual(['/tollgate.auth.v1.AuthService/CreatePasswordReset']);
  });

  it('exempt an ingress from tokens for reads only, and for calls that it may make', () => {
    for (const [path, permission] of Object.entries(PERMISSIONS)) {
      if (permission === 'caller') continue;
      const isAllowed = ALLOWED_CALLERS[path]?.includes('ingress') === true;
      expect([path, permission.ingress === true]).toEqual([path, isAllowed]);
      if (isAllowed) expect([path, permission.changes]).toEqual([path, false]);
    }
  });

  it('let operators make every call that takes an actor', () => {
    for (const [path, permission] of Object.entries(PERMISSIONS)) {
      if (permission !== 'caller')
        expect([path, permission.roles]).toEqual([path, expect.arrayContaining(['operator'])]);
    }
  });

  it('let members make calls only in their account, except where no account is concerned', () => {
    for (const { path, requestDeserialize } of UNARY) {
      const permission = PERMISSIONS[path];
      if (permission === undefined || permission === 'caller' || permission.accountless === true) continue;
      const isForMembers = ROLE_NAMES.some((role) => role !== 'operator' && permission.roles.includes(role));
      if (isForMembers)
        expect([path, requestDeserialize(Buffer.alloc(0))]).toEqual([path, expect.objectContaining({ accountId: '' })]);
    }
  });
});
