import { AuthServiceClient } from '@tollgate/proto/auth';
import { LedgerServiceClient } from '@tollgate/proto/ledger';
import { createGrpcClient, unaryCall } from '../grpc/client.ts';
import type { GrpcTls } from '../grpc/tls.ts';
import type { ActorTokenSource } from './attach-token.ts';

const CALL = { deadlineMs: 10_000 };

/** The first operator of an installation for evaluation and of `make up`. */
export const FIRST_OPERATOR = 'operator@example.com';

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

/** Asks auth for a token of an operator, as only the console may. */
async function issueToken(auth: AuthServiceClient, email: string): Promise<IssuedToken> {
  const { person } = await unaryCall(auth.getCredential.bind(auth), { email }, CALL);
  const request = { personId: person?.personId ?? '', accountId: '', viewAs: false };
  return unaryCall(auth.issueActorToken.bind(auth), request, CALL);
}

/**
 * Tokens of an operator.
 *
 * @param auth any client of auth, also one that these tokens are attached to
 */
export function operatorTokens(auth: AuthServiceClient, email = FIRST_OPERATOR): ActorTokenSource {
  return cachedTokens(() => issueToken(auth, email));
}

/** Clients through which an operator acts. */
export interface OperatorClients {
  auth: AuthServiceClient;
  ledger: LedgerServiceClient;
  close: () => void;
}

/** Opens clients of auth and the ledger, all of whose calls an operator makes. */
export function openOperatorClients(
  addresses: { auth: string; ledger: string },
  tls?: Pick<GrpcTls, 'forClients'>,
  email = FIRST_OPERATOR,
): OperatorClients {
  const auth = createOperatorClient(addresses.auth, tls, email);
  const ledger = createGrpcClient(LedgerServiceClient, addresses.ledger, tls, {
    actorToken: operatorTokens(auth, email),
  });
  const close = () => {
    auth.close();
    ledger.close();
  };
  return { auth, ledger, close };
}

/** Creates a client of auth, all of whose calls an operator makes. */
export function createOperatorClient(
  address: string,
  tls?: Pick<GrpcTls, 'forClients'>,
  email = FIRST_OPERATOR,
): AuthServiceClient {
  // The tokens come through this same client: the calls that get them need none.
  const auth: AuthServiceClient = createGrpcClient(AuthServiceClient, address, tls, { actorToken: () => tokens() });
  const tokens = operatorTokens(auth, email);
  return auth;
}
