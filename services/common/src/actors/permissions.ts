import type { RoleName } from './roles.ts';

/** Who may make a call, in terms of actor tokens. */
export interface Permission {
  roles: readonly RoleName[];
  /** Refused for read-only actors, and for those whose role has been taken away since their token was issued. */
  changes: boolean;
  /** The request names no account: members may make the call all the same. */
  accountless?: boolean;
  /** Refused for management keys: with it, whoever has stolen one could keep or widen their access. */
  people?: true;
  /** An ingress makes the call too, on the authority of an API key and without a token. */
  ingress?: boolean;
  /** The console makes the call too, without a token, for somebody who has not signed in. */
  anonymous?: boolean;
}

const OPERATOR: readonly RoleName[] = ['operator'];
const OWNER: readonly RoleName[] = ['operator', 'owner'];
const MEMBERS: readonly RoleName[] = ['operator', 'owner', 'admin'];
const MONEY: readonly RoleName[] = ['operator', 'owner', 'billing'];
const KEYS: readonly RoleName[] = ['operator', 'owner', 'admin', 'developer'];
const ANY: readonly RoleName[] = ['operator', 'owner', 'admin', 'developer', 'billing'];

const reads = (roles: readonly RoleName[]): Permission => ({ roles, changes: false });
const changes = (roles: readonly RoleName[]): Permission => ({ roles, changes: true });
const changesByPeople = (roles: readonly RoleName[]): Permission => ({ ...changes(roles), people: true });

/**
 * The roles that may use each unary method. `caller`: the caller's certificate alone decides, because there is no actor
 * (yet). Methods that are not listed are denied, so that a new one must be added here. Handlers refine it where it depends
 * on the request: developers use only keys they made, admins do not change owners.
 */
export const PERMISSIONS: Readonly<Record<string, Permission | 'caller'>> = {
  '/tollgate.auth.v1.AuthService/CreateAccount': changes(OPERATOR),
  '/tollgate.auth.v1.AuthService/GetAccount': reads(ANY),
  '/tollgate.auth.v1.AuthService/ListAccounts': reads(OPERATOR),
  '/tollgate.auth.v1.AuthService/UpdateAccount': changes(OWNER),
  '/tollgate.auth.v1.AuthService/SuspendAccount': changes(OPERATOR),
  '/tollgate.auth.v1.AuthService/ResumeAccount': changes(OPERATOR),
  '/tollgate.auth.v1.AuthService/CreateKey': changes(KEYS),
  '/tollgate.auth.v1.AuthService/ListKeys': reads(KEYS),
  '/tollgate.auth.v1.AuthService/GetKey': reads(KEYS),
  '/tollgate.auth.v1.AuthService/FindKeys': reads(KEYS),
  '/tollgate.auth.v1.AuthService/UpdateKey': changes(KEYS),
  '/tollgate.auth.v1.AuthService/RotateKey': changes(KEYS),
  '/tollgate.auth.v1.AuthService/DeleteKey': changes(KEYS),
  '/tollgate.auth.v1.AuthService/GetKeyPropagation': reads(KEYS),
  '/tollgate.auth.v1.AuthService/ListWatchers': reads(OPERATOR),
  '/tollgate.auth.v1.AuthService/ResolveKey': 'caller',
  '/tollgate.auth.v1.AuthService/ReportKeyUse': 'caller',
  '/tollgate.auth.v1.AuthService/IssueActorToken': 'caller',
  '/tollgate.auth.v1.AuthService/IssueManagementKeyToken': 'caller',
  '/tollgate.auth.v1.AuthService/IssueOperatorToken': 'caller',
  '/tollgate.auth.v1.AuthService/CheckActor': { ...reads(ANY), accountless: true },
  '/tollgate.auth.v1.AuthService/BeginViewAs': changes(OPERATOR),
  '/tollgate.auth.v1.AuthService/GetCredential': 'caller',
  '/tollgate.auth.v1.AuthService/CheckSession': 'caller',
  '/tollgate.auth.v1.AuthService/RecordSession': 'caller',
  '/tollgate.auth.v1.AuthService/RecordExport': reads(ANY),
  '/tollgate.auth.v1.AuthService/GetPerson': 'caller',
  '/tollgate.auth.v1.AuthService/UpdatePerson': 'caller',
  '/tollgate.auth.v1.AuthService/SignInWithIdentity': 'caller',
  '/tollgate.auth.v1.AuthService/EnsureFirstOperator': 'caller',
  '/tollgate.auth.v1.AuthService/CreatePasswordReset': { ...changesByPeople(OPERATOR), anonymous: true },
  '/tollgate.auth.v1.AuthService/GetPasswordReset': 'caller',
  '/tollgate.auth.v1.AuthService/ResetPassword': 'caller',
  '/tollgate.auth.v1.AuthService/GetInvitation': 'caller',
  '/tollgate.auth.v1.AuthService/AcceptInvitation': 'caller',
  '/tollgate.auth.v1.AuthService/ListMembers': reads(MEMBERS),
  '/tollgate.auth.v1.AuthService/UpdateMember': changes(MEMBERS),
  '/tollgate.auth.v1.AuthService/RemoveMember': changes(MEMBERS),
  '/tollgate.auth.v1.AuthService/CreateInvitation': changes(MEMBERS),
  '/tollgate.auth.v1.AuthService/ListInvitations': reads(MEMBERS),
  '/tollgate.auth.v1.AuthService/DeleteInvitation': changes(MEMBERS),
  '/tollgate.auth.v1.AuthService/SetAlertMails': changes(MONEY),
  '/tollgate.auth.v1.AuthService/ListAlertRecipients': 'caller',
  '/tollgate.auth.v1.AuthService/ListOperators': reads(OPERATOR),
  '/tollgate.auth.v1.AuthService/RemoveOperator': changesByPeople(OPERATOR),
  '/tollgate.auth.v1.AuthService/CreateManagementKey': changesByPeople(OWNER),
  '/tollgate.auth.v1.AuthService/ListManagementKeys': reads(OWNER),
  '/tollgate.auth.v1.AuthService/DeleteManagementKey': changesByPeople(OWNER),
  '/tollgate.auth.v1.AuthService/ListAudit': reads(OWNER),

  '/tollgate.ledger.v1.LedgerService/Deposit': changes(OPERATOR),
  '/tollgate.ledger.v1.LedgerService/GetBalance': { ...reads(ANY), ingress: true },
  '/tollgate.ledger.v1.LedgerService/GetThresholds': reads(MONEY),
  '/tollgate.ledger.v1.LedgerService/SetThresholds': changes(MONEY),
  '/tollgate.ledger.v1.LedgerService/ListEvents': reads(MONEY),
  '/tollgate.ledger.v1.LedgerService/GetCharge': { ...reads(ANY), ingress: true },
  '/tollgate.ledger.v1.LedgerService/ListCharges': { ...reads(ANY), ingress: true },
  '/tollgate.ledger.v1.LedgerService/GetUsage': { ...reads(ANY), ingress: true },
  '/tollgate.ledger.v1.LedgerService/ListDeposits': { ...reads(MONEY), ingress: true },
  '/tollgate.ledger.v1.LedgerService/GetCapUsage': reads(KEYS),
  '/tollgate.ledger.v1.LedgerService/RecordRefusals': 'caller',
  '/tollgate.ledger.v1.LedgerService/ListRefusals': reads(ANY),
  '/tollgate.ledger.v1.LedgerService/GetRefusal': reads(ANY),
  '/tollgate.ledger.v1.LedgerService/FindRequest': reads(OPERATOR),
  '/tollgate.ledger.v1.LedgerService/SumUsage': reads(OPERATOR),
  '/tollgate.ledger.v1.LedgerService/CountRefusals': reads(ANY),
  '/tollgate.ledger.v1.LedgerService/ListBalances': reads(OPERATOR),
  '/tollgate.ledger.v1.LedgerService/GetStatus': reads(OPERATOR),
  '/tollgate.ledger.v1.LedgerService/ListEventsAfter': 'caller',
  '/tollgate.ledger.v1.LedgerService/ListAudit': reads(OWNER),
  '/tollgate.ledger.v1.LedgerService/ListQuarantined': reads(OPERATOR),
  '/tollgate.ledger.v1.LedgerService/RepostQuarantined': changes(OPERATOR),
  '/tollgate.ledger.v1.LedgerService/Reconcile': changes(OPERATOR),

  '/tollgate.router.v1.RouterService/GetRoutes': { ...reads(ANY), accountless: true },
  '/tollgate.router.v1.RouterService/GetCatalogue': { ...reads(ANY), accountless: true },
  '/tollgate.router.v1.RouterService/GetHealth': reads(OPERATOR),
  '/tollgate.router.v1.RouterService/CompareCatalogue': reads(OPERATOR),
  '/tollgate.router.v1.RouterService/ListProviders': reads(OPERATOR),
  '/tollgate.router.v1.RouterService/TestProvider': changes(OPERATOR),
};
