import { X509Certificate } from 'node:crypto';
import {
  ServerInterceptingCall,
  type ServerInterceptingCallInterface,
  type ServerInterceptor,
  ServerListenerBuilder,
  status,
} from '@grpc/grpc-js';
import type { Logger } from '../logging.ts';

/** What a caller is, by its certificate. */
export const CALLER_ROLES = ['ingress', 'console', 'cli'] as const;
export type CallerRole = (typeof CALLER_ROLES)[number];

/** Stands for the role in the setting that says which DNS name a caller's certificate carries. */
export const ROLE_PLACEHOLDER = '{role}';

const INGRESS: readonly CallerRole[] = ['ingress'];
const MANAGEMENT: readonly CallerRole[] = ['console', 'cli'];
const ALL: readonly CallerRole[] = CALLER_ROLES;

/**
 * Who may call what. A call that is not listed is refused, so that a new one is decided on here before anything can use it.
 */
export const ALLOWED_CALLERS: Readonly<Record<string, readonly CallerRole[]>> = {
  '/tollgate.auth.v1.AuthService/CreateAccount': MANAGEMENT,
  '/tollgate.auth.v1.AuthService/GetAccount': MANAGEMENT,
  '/tollgate.auth.v1.AuthService/ListAccounts': MANAGEMENT,
  '/tollgate.auth.v1.AuthService/UpdateAccount': MANAGEMENT,
  '/tollgate.auth.v1.AuthService/SuspendAccount': MANAGEMENT,
  '/tollgate.auth.v1.AuthService/ResumeAccount': MANAGEMENT,
  '/tollgate.auth.v1.AuthService/CreateKey': MANAGEMENT,
  '/tollgate.auth.v1.AuthService/ListKeys': MANAGEMENT,
  '/tollgate.auth.v1.AuthService/UpdateKey': MANAGEMENT,
  '/tollgate.auth.v1.AuthService/RotateKey': MANAGEMENT,
  '/tollgate.auth.v1.AuthService/DeleteKey': MANAGEMENT,
  '/tollgate.auth.v1.AuthService/ResolveKey': INGRESS,
  '/tollgate.auth.v1.AuthService/ReportKeyUse': INGRESS,
  '/tollgate.auth.v1.AuthService/WatchRevocations': INGRESS,

  '/tollgate.ledger.v1.LedgerService/Lease': INGRESS,
  '/tollgate.ledger.v1.LedgerService/Settle': INGRESS,
  '/tollgate.ledger.v1.LedgerService/Deposit': MANAGEMENT,
  '/tollgate.ledger.v1.LedgerService/GetThresholds': MANAGEMENT,
  '/tollgate.ledger.v1.LedgerService/SetThresholds': MANAGEMENT,
  '/tollgate.ledger.v1.LedgerService/ListEvents': MANAGEMENT,
  '/tollgate.ledger.v1.LedgerService/ListQuarantined': MANAGEMENT,
  '/tollgate.ledger.v1.LedgerService/RepostQuarantined': MANAGEMENT,
  '/tollgate.ledger.v1.LedgerService/Reconcile': MANAGEMENT,
  '/tollgate.ledger.v1.LedgerService/GetBalance': ALL,
  '/tollgate.ledger.v1.LedgerService/GetCharge': ALL,
  '/tollgate.ledger.v1.LedgerService/ListCharges': ALL,
  '/tollgate.ledger.v1.LedgerService/GetUsage': ALL,
  '/tollgate.ledger.v1.LedgerService/ListDeposits': ALL,

  '/tollgate.router.v1.RouterService/WatchRoutes': INGRESS,
  '/tollgate.router.v1.RouterService/ReportOutcomes': INGRESS,
  '/tollgate.router.v1.RouterService/GetRoutes': MANAGEMENT,

  '/grpc.health.v1.Health/Check': ALL,
  '/grpc.health.v1.Health/List': ALL,
  '/grpc.health.v1.Health/Watch': ALL,
  '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo': MANAGEMENT,
  '/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo': MANAGEMENT,
};

/** Certificates whose roles are remembered at most; a cluster has one for each kind of caller, and their predecessors. */
const MAX_REMEMBERED = 100;

/** How callers are known; see GrpcTls. */
export interface CallerNames {
  /** The DNS name that a caller's certificate carries, with `{role}` in place of what it is. */
  clientName: string;
  /** Lets connections without TLS make every call. */
  optional: boolean;
}

/**
 * Refuses, with PERMISSION_DENIED, calls that the client's certificate does not allow.
 */
export function callerCheck({ clientName, optional }: CallerNames, logger: Logger): ServerInterceptor {
  const rolesOf = rememberRoles(clientName);
  return (method, call) => {
    const allowed = ALLOWED_CALLERS[method.path] ?? [];
    if (optional && call.getAuthContext().transportSecurityType === undefined) return new ServerInterceptingCall(call);
    if (rolesOf(call).some((role) => allowed.includes(role))) return new ServerInterceptingCall(call);
    const details = deniedMessage(method.path, allowed, clientName);
    const listener = new ServerListenerBuilder()
      .withOnReceiveMetadata(() => {
        logger.warn(
          { method: method.path, peer: call.getPeer() },
          'refused a call that its certificate does not allow',
        );
        call.sendStatus({ code: status.PERMISSION_DENIED, details });
      })
      .build();
    return new ServerInterceptingCall(call, { start: (next) => next(listener) });
  };
}

function deniedMessage(path: string, allowed: readonly CallerRole[], clientName: string): string {
  const method = path.slice(path.lastIndexOf('/') + 1);
  if (allowed.length === 0) return `${method} may be called by nobody`;
  const names = allowed.map((role) => nameOf(clientName, role)).join(' or ');
  return `${method} may be called by ${allowed.join(' or ')} only: the client's certificate must carry the DNS name ${names}`;
}

function nameOf(clientName: string, role: CallerRole): string {
  return clientName.replaceAll(ROLE_PLACEHOLDER, role);
}

function rememberRoles(clientName: string): (call: ServerInterceptingCallInterface) => readonly CallerRole[] {
  const remembered = new Map<string, readonly CallerRole[]>();
  return (call) => {
    const peer = call.getAuthContext().sslPeerCertificate;
    if (peer?.raw === undefined) return [];
    const known = remembered.get(peer.fingerprint256);
    if (known !== undefined) return known;
    const certificate = new X509Certificate(peer.raw);
    const roles = CALLER_ROLES.filter((role) => carries(certificate, nameOf(clientName, role)));
    if (remembered.size >= MAX_REMEMBERED) remembered.clear();
    remembered.set(peer.fingerprint256, roles);
    return roles;
  };
}

/** Only an alternative name counts, and only as it is written: no common name and no wildcard makes a caller. */
function carries(certificate: X509Certificate, name: string): boolean {
  return certificate.checkHost(name, { subject: 'never', wildcards: false }) !== undefined;
}
