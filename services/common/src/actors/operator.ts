import { AuthServiceClient } from '@tollgate/proto/auth';
import { LedgerServiceClient } from '@tollgate/proto/ledger';
import { createGrpcClient, unaryCall } from '../grpc/client.ts';
import type { GrpcTls } from '../grpc/tls.ts';
import type { ActorTokenSource } from './attach-token.ts';

const ISSUE_DEADLINE_MS = 10_000;

/** A token is replaced when it expires sooner than this. */
const MARGIN_MS = 15_000;

/** A token with its expiry, as auth issues it. */
interface IssuedToken {
  token: string;
  expiresAtMs: bigint;
}

/** A source of tokens that are issued when first needed and used until shortly before they expire. */
export function cachedTokens(issue: () => Promise<IssuedToken>, now: () => number = Date.now): ActorTokenSource {
  let issued: IssuedToken | undefined;
  let issuing: Promise<IssuedToken> | undefined;
  const issueOnce = async () => {
    try {
      issued = await issue();
      return issued;
    } finally {
      issuing = undefined;
    }
  };
  return async () => {
    if (issued !== undefined && Number(issued.expiresAtMs) - now() > MARGIN_MS) return issued.token;
    issuing ??= issueOnce();
    return (await issuing).token;
  };
}

/** Asks auth for a token of a named operator. The caller must be allowed to make calls of the command line. */
export function issueOperatorToken(auth: AuthServiceClient, name: string): Promise<IssuedToken> {
  return unaryCall(auth.issueOperatorToken.bind(auth), { name }, { deadlineMs: ISSUE_DEADLINE_MS });
}

/**
 * Tokens of a named operator.
 *
 * @param auth any client of auth, also one that these tokens are attached to
 */
export function operatorTokens(auth: AuthServiceClient, name: string): ActorTokenSource {
  return cachedTokens(() => issueOperatorToken(auth, name));
}

/** Clients through which a named operator acts. */
export interface OperatorClients {
  auth: AuthServiceClient;
  ledger: LedgerServiceClient;
  close: () => void;
}

/** Opens clients of auth and the ledger, all of whose calls are made by a named operator. */
export function openOperatorClients(
  addresses: { auth: string; ledger: string },
  name: string,
  tls?: Pick<GrpcTls, 'forClients'>,
): OperatorClients {
  const auth = createOperatorClient(addresses.auth, name, tls);
  const ledger = createGrpcClient(LedgerServiceClient, addresses.ledger, tls, {
    actorToken: operatorTokens(auth, name),
  });
  const close = () => {
    auth.close();
    ledger.close();
  };
  return { auth, ledger, close };
}

/** Creates a client of auth, all of whose calls are made by a named operator. */
export function createOperatorClient(
  address: string,
  name: string,
  tls?: Pick<GrpcTls, 'forClients'>,
): AuthServiceClient {
  // The tokens come through this same client: IssueOperatorToken takes no actor.
  const auth: AuthServiceClient = createGrpcClient(AuthServiceClient, address, tls, { actorToken: () => tokens() });
  const tokens = operatorTokens(auth, name);
  return auth;
}
