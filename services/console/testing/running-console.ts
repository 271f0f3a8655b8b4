import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AuthUnderTest } from '@tollgate/auth/testing/auth-under-test';
import { type RoleName, roleOf } from '@tollgate/common/actors/roles';
import { unaryCall } from '@tollgate/common/grpc/client';
import { newId, newTraceId } from '@tollgate/common/ids';
import type { Logger } from '@tollgate/common/logging';
import { buildCharge } from '@tollgate/ledger/testing/build-charge';
import { issueThisMonth, leasingSession, openedSession, settle } from '@tollgate/ledger/testing/ledger-calls';
import { type ServedLedger, serveLedger } from '@tollgate/ledger/testing/serve-ledger';
import { findFreePort } from '@tollgate/local';
import { type Charge, DepositKind, Refusal, SettleOutcome } from '@tollgate/proto/ledger';
import { startRouter } from '@tollgate/router/testing/start-router';
import { connectTestIngress } from '@tollgate/router/testing/test-ingress';
import { testCatalogue } from '@tollgate/test-support/gateway/catalogue';
import { redisUrl } from '@tollgate/test-support/stores/redis-url';
import { makeTemporaryFolder } from '@tollgate/test-support/temporary-folder';
import { ApiClient } from './api-client.ts';
import { createPerson } from './create-person.ts';
import { type PaymentsServer, startPaymentsServer } from './payments-server.ts';
import { type Addresses, type ServedConsole, serveConsole } from './serve-console.ts';

const LONG = { deadlineMs: 20_000 };

/** A person with a signed-in browser. */
export interface SignedIn {
  personId: string;
  email: string;
  api: ApiClient;
}

/** A running console with the services behind it, all in this process, on a database of their own. */
export class RunningConsole {
  readonly console: ServedConsole;
  readonly auth: AuthUnderTest;
  readonly ledger: ServedLedger;
  readonly payments: PaymentsServer;
  readonly #addresses: Addresses;
  readonly #stop: () => Promise<void>;

  private constructor(
    parts: Pick<RunningConsole, 'console' | 'auth' | 'ledger' | 'payments'> & { addresses: Addresses },
    stop: () => Promise<void>,
  ) {
    this.#addresses = parts.addresses;
    this.console = parts.console;
    this.auth = parts.auth;
    this.ledger = parts.ledger;
    this.payments = parts.payments;
    this.#stop = stop;
  }

  /** Starts everything but a gateway. Settings are those of the console's environment. */
  static async start(settings: Record<string, string> = {}): Promise<RunningConsole> {
    const authPort = await findFreePort();
    const ledger = await serveLedger({ AUTH_ADDRESS: `127.0.0.1:${authPort}` });
    const stores = { DATABASE_URL: ledger.url, REDIS_URL: redisUrl() };
    const auth = await AuthUnderTest.start({ ...stores, GRPC_PORT: String(authPort) });
    const folder = makeTemporaryFolder();
    const catalogue = join(folder.path, 'catalogue.json');
    const nowhere = `http://127.0.0.1:${await findFreePort()}`;
    writeFileSync(catalogue, testCatalogue({ simulatorUrl: nowhere, deadUrl: nowhere }));
    const router = await startRouter({ CATALOGUE_FILE: catalogue });
    const disconnect = await connectTestIngress(router.address);
    const payments = await startPaymentsServer();
    const addresses = {
      databaseUrl: ledger.url,
      auth: auth.address,
      ledger: `127.0.0.1:${ledger.server.port}`,
      router: router.address,
      payments: payments.address,
      gateway: nowhere,
    };
    const served = await serveConsole(addresses, settings);
    return new RunningConsole({ console: served, auth, ledger, payments, addresses }, async () => {
      await served.stop();
      disconnect();
      await payments.stop();
      await router.stop();
      await auth.stop();
      await ledger.drop();
      folder.remove();
    });
  }

  /** Another console beside this one, at the same services and database. The caller stops it. */
  replica(settings: Record<string, string> = {}, logger?: Logger): Promise<ServedConsole> {
    return serveConsole(this.#addresses, settings, logger);
  }

  get url(): string {
    return this.console.url;
  }

  stop(): Promise<void> {
    return this.#stop();
  }

  /** A new account. */
  async createAccount(name = 'Acme'): Promise<string> {
    return (await this.auth.createAccount(name)).accountId;
  }

  /** A new person with a role in an account, or an operator, who is signed in. */
  async signedIn(role: RoleName, accountId = ''): Promise<SignedIn> {
    const { personId, email } = await createPerson(this.auth.client, role, accountId);
    return { personId, email, api: await this.console.signIn(personId) };
  }

  /** A program with a new management key. */
  async program(role: RoleName, accountId = ''): Promise<ApiClient> {
    const { client } = this.auth;
    const expiresAtMs = BigInt(Date.now() + 3_600_000);
    const request = {
      accountId: role === 'operator' ? '' : accountId,
      name: `${role} program`,
      role: roleOf(role),
      expiresAtMs,
    };
    const { secret } = await unaryCall(client.createManagementKey.bind(client), request, LONG);
    return new ApiClient(this.url, { managementKey: secret });
  }

  /** Credits an account. Returns the id of the deposit. */
  async fund(accountId: string, amountNanos: bigint): Promise<string> {
    const { client } = this.ledger;
    const request = {
      accountId,
      kind: DepositKind.DEPOSIT,
      amountNanos,
      idempotencyKey: newId(),
      reason: 'for a test',
    };
    const { deposit } = await unaryCall(client.deposit.bind(client), request, LONG);
    if (deposit === undefined) throw new Error('nothing was deposited');
    return deposit.depositId;
  }

  /** Settles charges of one nano-dollar a token, which the account must be able to pay. Returns them oldest first. */
  async charge(accountId: string, ...charges: (Partial<Charge> & { costNanos: bigint })[]): Promise<Charge[]> {
    const { pool } = this.ledger;
    const needed = charges.reduce((sum, { costNanos }) => sum + costNanos, 0n);
    const sessionId = await leasingSession(pool, accountId, needed);
    const built = charges.map((fields) => buildCharge({ accountId, sessionId, ...fields }, fields.costNanos));
    const outcomes = await settle(pool, ...built);
    if (outcomes.some((outcome) => outcome !== SettleOutcome.POSTED)) throw new Error(`not posted: ${outcomes}`);
    return built;
  }

  /** Issues the account's statement of this month, as if it had ended. Returns the month. */
  issueStatement(accountId: string): Promise<string> {
    return issueThisMonth(this.ledger.pool, accountId);
  }

  /** Records refused requests, as an ingress does. */
  async refuse(accountId: string, ...refusals: Partial<Refusal>[]): Promise<Refusal[]> {
    const { client } = this.ledger;
    const built = refusals.map((fields) =>
      Refusal.fromPartial({
        requestId: newId(),
        traceId: newTraceId(),
        accountId,
        keyId: newId(),
        keyName: 'test key',
        model: 'small',
        protocolIn: 'openai-chat',
        httpStatus: 400,
        errorType: 'insufficient_balance',
        reason: 'insufficient_balance',
        message: 'The balance is too low.',
        refusedAtMs: BigInt(Date.now()),
        ...fields,
      }),
    );
    const request = { refusals: built, dropped: [], unknownKeys: 0n };
    await unaryCall(client.recordRefusals.bind(client), request, LONG);
    return built;
  }

  /** Settles a charge of an account that the ledger does not know; returns what identifies it in quarantine. */
  async quarantine(): Promise<{ account_id: string; request_id: string; content_hash: string }> {
    const { pool } = this.ledger;
    const charge = buildCharge({ accountId: newId(), sessionId: await openedSession(pool) });
    await settle(pool, charge);
    return { account_id: charge.accountId, request_id: charge.requestId, content_hash: '' };
  }
}
