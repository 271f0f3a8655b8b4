import { X509Certificate } from 'node:crypto';
import {
  ServerInterceptingCall,
  type ServerInterceptingCallInterface,
  type ServerInterceptor,
  ServerListenerBuilder,
  status,
} from '@grpc/grpc-js';
import { actorTokenOf } from '../actors/attach-token.ts';
import { PERMISSIONS } from '../actors/permissions.ts';
import type { Logger } from '../logging.ts';

/** What a caller is, according to its certificate. */
export const CALLER_ROLES = ['ingress', 'console', 'ledger', 'payments'] as const;
export type CallerRole = (typeof CALLER_ROLES)[number];

/** Stands for the role in GRPC_TLS_CLIENT_NAME. */
export const ROLE_PLACEHOLDER = '{role}';

const INGRESS: readonly CallerRole[] = ['ingress'];
const CONSOLE: readonly CallerRole[] = ['console'];
const PAYMENTS: readonly CallerRole[] = ['payments'];
/** Services that ask auth for the present role of whoever changes something. */
const CHECKING: readonly CallerRole[] = ['ledger', 'payments'];
const ALL: readonly CallerRole[] = ['ingress', 'console'];

/** Which callers may use which method. Methods that are not listed are denied, so that a new one must be added here. */
export const ALLOWED_CALLERS: Readonly<Record<string, readonly CallerRole[]>> = {
  '/tollgate.auth.v1.AuthService/CreateAccount': CONSOLE,
  '/tollgate.auth.v1.AuthService/GetAccount': CONSOLE,
  '/tollgate.auth.v1.AuthService/GetPriceRules': CONSOLE,
  '/tollgate.auth.v1.AuthService/ListAccounts': CONSOLE,
  '/tollgate.auth.v1.AuthService/UpdateAccount': CONSOLE,
  '/tollgate.auth.v1.AuthService/SuspendAccount': CONSOLE,
  '/tollgate.auth.v1.AuthService/ResumeAccount': CONSOLE,
  '/tollgate.auth.v1.AuthService/CreateKey': CONSOLE,
  '/tollgate.auth.v1.AuthService/ListKeys': CONSOLE,
  '/tollgate.auth.v1.AuthService/UpdateKey': CONSOLE,
  '/tollgate.auth.v1.AuthService/RotateKey': CONSOLE,
  '/tollgate.auth.v1.AuthService/DeleteKey': CONSOLE,
  '/tollgate.auth.v1.AuthService/GetKey': CONSOLE,
  '/tollgate.auth.v1.AuthService/FindKeys': CONSOLE,
  '/tollgate.auth.v1.AuthService/GetKeyPropagation': CONSOLE,
  '/tollgate.auth.v1.AuthService/ListProjects': CONSOLE,
  '/tollgate.auth.v1.AuthService/CreateProject': CONSOLE,
  '/tollgate.auth.v1.AuthService/UpdateProject': CONSOLE,
  '/tollgate.auth.v1.AuthService/DeleteProject': CONSOLE,
  '/tollgate.auth.v1.AuthService/ListServiceAccounts': CONSOLE,
  '/tollgate.auth.v1.AuthService/CreateServiceAccount': CONSOLE,
  '/tollgate.auth.v1.AuthService/UpdateServiceAccount': CONSOLE,
  '/tollgate.auth.v1.AuthService/DeleteServiceAccount': CONSOLE,
  '/tollgate.auth.v1.AuthService/ListProjectMembers': CONSOLE,
  '/tollgate.auth.v1.AuthService/UpdateProjectMember': CONSOLE,
  '/tollgate.auth.v1.AuthService/AskForLimit': CONSOLE,
  '/tollgate.auth.v1.AuthService/ListLimitRequests': CONSOLE,
  '/tollgate.auth.v1.AuthService/GetLimitRequest': CONSOLE,
  '/tollgate.auth.v1.AuthService/GrantLimitRequest': CONSOLE,
  '/tollgate.auth.v1.AuthService/DeclineLimitRequest': CONSOLE,
  '/tollgate.auth.v1.AuthService/WithdrawLimitRequest': CONSOLE,
  '/tollgate.auth.v1.AuthService/ListLimitTree': CONSOLE,
  '/tollgate.auth.v1.AuthService/ListWatchers': CONSOLE,
  '/tollgate.auth.v1.AuthService/IssueActorToken': CONSOLE,
  '/tollgate.auth.v1.AuthService/IssueManagementKeyToken': CONSOLE,
  '/tollgate.auth.v1.AuthService/CheckActor': CHECKING,
  '/tollgate.auth.v1.AuthService/BeginViewAs': CONSOLE,
  '/tollgate.auth.v1.AuthService/GetCredential': CONSOLE,
  '/tollgate.auth.v1.AuthService/CheckSession': CONSOLE,
  '/tollgate.auth.v1.AuthService/RecordSession': CONSOLE,
  '/tollgate.auth.v1.AuthService/RecordExport': CONSOLE,
  '/tollgate.auth.v1.AuthService/GetPerson': CONSOLE,
  '/tollgate.auth.v1.AuthService/UpdatePerson': CONSOLE,
  '/tollgate.auth.v1.AuthService/SignInWithIdentity': CONSOLE,
  '/tollgate.auth.v1.AuthService/EnsureFirstOperator': CONSOLE,
  '/tollgate.auth.v1.AuthService/CreatePasswordReset': CONSOLE,
  '/tollgate.auth.v1.AuthService/GetPasswordReset': CONSOLE,
  '/tollgate.auth.v1.AuthService/ResetPassword': CONSOLE,
  '/tollgate.auth.v1.AuthService/ListMembers': CONSOLE,
  '/tollgate.auth.v1.AuthService/UpdateMember': CONSOLE,
  '/tollgate.auth.v1.AuthService/RemoveMember': CONSOLE,
  '/tollgate.auth.v1.AuthService/CreateInvitation': CONSOLE,
  '/tollgate.auth.v1.AuthService/ListInvitations': CONSOLE,
  '/tollgate.auth.v1.AuthService/DeleteInvitation': CONSOLE,
  '/tollgate.auth.v1.AuthService/GetInvitation': CONSOLE,
  '/tollgate.auth.v1.AuthService/AcceptInvitation': CONSOLE,
  '/tollgate.auth.v1.AuthService/SetAlertMails': CONSOLE,
  '/tollgate.auth.v1.AuthService/ListEventsAfter': CONSOLE,
  '/tollgate.auth.v1.AuthService/ListAlertRecipients': CONSOLE,
  '/tollgate.auth.v1.AuthService/ListOperators': CONSOLE,
  '/tollgate.auth.v1.AuthService/RemoveOperator': CONSOLE,
  '/tollgate.auth.v1.AuthService/CreateManagementKey': CONSOLE,
  '/tollgate.auth.v1.AuthService/ListManagementKeys': CONSOLE,
  '/tollgate.auth.v1.AuthService/DeleteManagementKey': CONSOLE,
  '/tollgate.auth.v1.AuthService/ListAudit': CONSOLE,
  '/tollgate.auth.v1.AuthService/ResolveKey': INGRESS,
  '/tollgate.auth.v1.AuthService/CreateDerivedKey': INGRESS,
  '/tollgate.auth.v1.AuthService/ReportKeyUse': INGRESS,
  '/tollgate.auth.v1.AuthService/WatchRevocations': INGRESS,

  '/tollgate.ledger.v1.LedgerService/Lease': INGRESS,
  '/tollgate.ledger.v1.LedgerService/Settle': INGRESS,
  '/tollgate.ledger.v1.LedgerService/Deposit': CONSOLE,
  '/tollgate.ledger.v1.LedgerService/BookPayment': PAYMENTS,
  '/tollgate.ledger.v1.LedgerService/GetBalances': PAYMENTS,
  '/tollgate.ledger.v1.LedgerService/GetThresholds': CONSOLE,
  '/tollgate.ledger.v1.LedgerService/SetThresholds': CONSOLE,
  '/tollgate.ledger.v1.LedgerService/ListEvents': CONSOLE,
  '/tollgate.ledger.v1.LedgerService/ListStatements': CONSOLE,
  '/tollgate.ledger.v1.LedgerService/GetStatement': CONSOLE,
  '/tollgate.ledger.v1.LedgerService/ListStatementLines': CONSOLE,
  '/tollgate.ledger.v1.LedgerService/ListQuarantined': CONSOLE,
  '/tollgate.ledger.v1.LedgerService/RepostQuarantined': CONSOLE,
  '/tollgate.ledger.v1.LedgerService/GetCapUsage': ALL,
  '/tollgate.ledger.v1.LedgerService/RecordRefusals': INGRESS,
  '/tollgate.ledger.v1.LedgerService/ListRefusals': CONSOLE,
  '/tollgate.ledger.v1.LedgerService/GetRefusal': CONSOLE,
  '/tollgate.ledger.v1.LedgerService/FindRequest': CONSOLE,
  '/tollgate.ledger.v1.LedgerService/SumCharges': CONSOLE,
  '/tollgate.ledger.v1.LedgerService/SumProviderUsage': CONSOLE,
  '/tollgate.ledger.v1.LedgerService/CreateVouchers': CONSOLE,
  '/tollgate.ledger.v1.LedgerService/ListVouchers': CONSOLE,
  '/tollgate.ledger.v1.LedgerService/RedeemVoucher': CONSOLE,
  '/tollgate.ledger.v1.LedgerService/RevokeVoucher': CONSOLE,
  '/tollgate.ledger.v1.LedgerService/SumUsage': CONSOLE,
  '/tollgate.ledger.v1.LedgerService/CountRefusals': CONSOLE,
  '/tollgate.ledger.v1.LedgerService/ListBalances': CONSOLE,
  '/tollgate.ledger.v1.LedgerService/GetStatus': CONSOLE,
  '/tollgate.ledger.v1.LedgerService/ListEventsAfter': CONSOLE,
  '/tollgate.ledger.v1.LedgerService/ListAudit': CONSOLE,
  '/tollgate.ledger.v1.LedgerService/GetBalance': ALL,
  '/tollgate.ledger.v1.LedgerService/GetCharge': ALL,
  '/tollgate.ledger.v1.LedgerService/ListCharges': ALL,
  '/tollgate.ledger.v1.LedgerService/GetUsage': ALL,
  '/tollgate.ledger.v1.LedgerService/ListDeposits': ALL,

  '/tollgate.router.v1.RouterService/WatchRoutes': INGRESS,
  '/tollgate.router.v1.RouterService/ReportOutcomes': INGRESS,
  '/tollgate.router.v1.RouterService/GetRoutes': CONSOLE,
  '/tollgate.router.v1.RouterService/GetHealth': CONSOLE,
  '/tollgate.router.v1.RouterService/GetCatalogue': CONSOLE,
  '/tollgate.router.v1.RouterService/CompareCatalogue': CONSOLE,
  '/tollgate.router.v1.RouterService/ListProviders': CONSOLE,
  '/tollgate.router.v1.RouterService/TestProvider': CONSOLE,
  '/tollgate.router.v1.RouterService/ServeProbes': INGRESS,

  '/tollgate.payments.v1.PaymentsService/GetPaymentOptions': CONSOLE,
  '/tollgate.payments.v1.PaymentsService/CreateCheckout': CONSOLE,
  '/tollgate.payments.v1.PaymentsService/GetPayment': CONSOLE,
  '/tollgate.payments.v1.PaymentsService/ListPayments': CONSOLE,
  '/tollgate.payments.v1.PaymentsService/RefundPayment': CONSOLE,
  '/tollgate.payments.v1.PaymentsService/ListPaymentMethods': CONSOLE,
  '/tollgate.payments.v1.PaymentsService/RemovePaymentMethod': CONSOLE,
  '/tollgate.payments.v1.PaymentsService/GetPaymentLimits': CONSOLE,
  '/tollgate.payments.v1.PaymentsService/UpdatePaymentLimits': CONSOLE,
  '/tollgate.payments.v1.PaymentsService/ClearFailedCards': CONSOLE,
  '/tollgate.payments.v1.PaymentsService/GetAutomaticTopUp': CONSOLE,
  '/tollgate.payments.v1.PaymentsService/SetAutomaticTopUp': CONSOLE,
  '/tollgate.payments.v1.PaymentsService/DeleteAutomaticTopUp': CONSOLE,
  '/tollgate.payments.v1.PaymentsService/ResumeAutomaticTopUp': CONSOLE,
  '/tollgate.payments.v1.PaymentsService/ListEventsAfter': CONSOLE,
  '/tollgate.payments.v1.PaymentsService/ListAudit': CONSOLE,

  '/grpc.health.v1.Health/Check': ALL,
  '/grpc.health.v1.Health/List': ALL,
  '/grpc.health.v1.Health/Watch': ALL,
  '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo': CONSOLE,
  '/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo': CONSOLE,
};

/** Maximum certificates whose roles are cached; a cluster has a few for each kind of caller. */
const MAX_CACHED = 100;

/** How callers are identified; see GrpcTls. */
export interface CallerNames {
  /** The DNS name in a caller's certificate, with `{role}` for its role. */
  clientName: string;
  /** Allows every call over connections without TLS. */
  optional: boolean;
}

/**
 * Denies calls that the client's certificate does not allow, with PERMISSION_DENIED, and calls without an actor token that
 * only an ingress may make without one, with UNAUTHENTICATED. All other tokens are checked by the handlers.
 */
export function callerCheck({ clientName, optional }: CallerNames, logger: Logger): ServerInterceptor {
  const rolesOf = cacheRoles(clientName);
  return (method, call) => {
    const allowed = ALLOWED_CALLERS[method.path] ?? [];
    if (optional && call.getAuthContext().transportSecurityType === undefined) return new ServerInterceptingCall(call);
    const roles = rolesOf(call);
    const listener = new ServerListenerBuilder();
    if (!roles.some((role) => allowed.includes(role))) {
      const details = deniedMessage(method.path, allowed, clientName);
      listener.withOnReceiveMetadata(() => {
        logger.warn({ method: method.path, peer: call.getPeer() }, 'denied a call that its certificate does not allow');
        call.sendStatus({ code: status.PERMISSION_DENIED, details });
      });
    } else if (mayOmitToken(method.path) && !roles.includes('ingress')) {
      listener.withOnReceiveMetadata((metadata, next) => {
        if (actorTokenOf(metadata) !== undefined) return next(metadata);
        call.sendStatus({
          code: status.UNAUTHENTICATED,
          details: 'only an ingress may make this call without an actor token',
        });
      });
    } else {
      return new ServerInterceptingCall(call);
    }
    return new ServerInterceptingCall(call, { start: (next) => next(listener.build()) });
  };
}

function mayOmitToken(path: string): boolean {
  const permission = PERMISSIONS[path];
  return permission !== undefined && permission !== 'caller' && permission.ingress === true;
}

function deniedMessage(path: string, allowed: readonly CallerRole[], clientName: string): string {
  const method = path.slice(path.lastIndexOf('/') + 1);
  if (allowed.length === 0) return `${method} is not allowed for any caller`;
  const names = allowed.map((role) => nameOf(clientName, role)).join(' or ');
  return `${method} is allowed for ${allowed.join(' or ')} only: the client's certificate must have the DNS name ${names}`;
}

function nameOf(clientName: string, role: CallerRole): string {
  return clientName.replaceAll(ROLE_PLACEHOLDER, role);
}

function cacheRoles(clientName: string): (call: ServerInterceptingCallInterface) => readonly CallerRole[] {
  const cached = new Map<string, readonly CallerRole[]>();
  return (call) => {
    const peer = call.getAuthContext().sslPeerCertificate;
    if (peer?.raw === undefined) return [];
    const known = cached.get(peer.fingerprint256);
    if (known !== undefined) return known;
    const certificate = new X509Certificate(peer.raw);
    const roles = CALLER_ROLES.filter((role) => carries(certificate, nameOf(clientName, role)));
    if (cached.size >= MAX_CACHED) cached.clear();
    cached.set(peer.fingerprint256, roles);
    return roles;
  };
}

/** Only an exact alternative name counts: neither a common name nor a wildcard identifies a caller. */
function carries(certificate: X509Certificate, name: string): boolean {
  return certificate.checkHost(name, { subject: 'never', wildcards: false }) !== undefined;
}
