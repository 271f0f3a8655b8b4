import {
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type ServerWritableStream,
  type sendUnaryData,
} from '@grpc/grpc-js';
import { bindServer } from '@tollgate/common/grpc/server';
import {
  AuthServiceService,
  type KeyRecord,
  type ReportKeyUseResponse,
  type ResolveKeyResponse,
  type WatchRevocationsRequest,
  type WatchRevocationsResponse,
} from '@tollgate/proto/auth';
import {
  type LeaseRequest,
  type LeaseResponse,
  LedgerServiceService,
  SettleOutcome,
  type SettleRequest,
  type SettleResponse,
} from '@tollgate/proto/ledger';
import {
  type OutcomeBatch,
  type OutcomeBatchAck,
  type ProbeReport,
  type ProbeTask,
  RouterServiceService,
  type RouteTable,
  type WatchRoutesRequest,
} from '@tollgate/proto/router';

/** What the stand-ins know: one key with credit, and the routes. */
export interface StandInData {
  key: KeyRecord;
  routes: RouteTable;
}

export interface StandInServices {
  /** gRPC address of all three. */
  address: string;
  stop: () => void;
}

/** Far longer than a warm-up takes. */
const TRUST_MS = 60_000n;
const INTERVAL_MS = 1_000n;
const CREDIT_NANOS = 1_000_000_000_000n;

/** Starts auth, ledger and router in one gRPC server on a loopback port: they accept everything, and keep nothing. */
export async function startStandInServices({ key, routes }: StandInData): Promise<StandInServices> {
  const server = new Server();
  server.addService(AuthServiceService, {
    resolveKey: unary<ResolveKeyResponse>({
      result: { $case: 'active', value: key },
      refusedKeyId: '',
      refusedAccountId: '',
    }),
    reportKeyUse: unary<ReportKeyUseResponse>({}),
    watchRevocations: stream<WatchRevocationsRequest, WatchRevocationsResponse>(({ ping }) => ({
      revocations: [],
      ping,
      trustMs: TRUST_MS,
      pingIntervalMs: INTERVAL_MS,
    })),
  });
  server.addService(LedgerServiceService, {
    lease: stream<LeaseRequest, LeaseResponse>(lease),
    settle: stream<SettleRequest, SettleResponse>(({ sequence, charges }) => ({
      sequence,
      outcomes: charges.map(() => SettleOutcome.POSTED),
    })),
  });
  server.addService(RouterServiceService, {
    watchRoutes: (call: ServerWritableStream<WatchRoutesRequest, RouteTable>) => void call.write(routes),
    reportOutcomes: stream<OutcomeBatch, OutcomeBatchAck>(({ sequence }) => ({ sequence })),
    serveProbes: stream<ProbeReport, ProbeTask>(() => undefined),
  });
  const port = await bindServer(server, '127.0.0.1:0', ServerCredentials.createInsecure());
  return { address: `127.0.0.1:${port}`, stop: () => server.forceShutdown() };
}

function unary<Response>(response: Response) {
  return (_call: unknown, respond: sendUnaryData<Response>) => respond(null, response);
}

/** Responds to each message of a stream with at most one. */
function stream<Request, Response>(respond: (request: Request) => Response | undefined) {
  return (call: ServerDuplexStream<Request, Response>) => {
    call.on('data', (request: Request) => {
      const response = respond(request);
      if (response !== undefined) call.write(response);
    });
    call.on('end', () => call.end());
  };
}

function lease({ message }: LeaseRequest): LeaseResponse | undefined {
  const response = leaseResponse(message);
  return response === undefined ? undefined : { message: response };
}

function leaseResponse(message: LeaseRequest['message']): LeaseResponse['message'] {
  const database = { databaseId: 'warm-up', databaseTimeMs: BigInt(Date.now()) };
  switch (message?.$case) {
    case 'open':
      return {
        $case: 'opened',
        value: {
          ...database,
          sessionId: message.value.sessionId,
          epoch: 1n,
          sessionTtlMs: TRUST_MS,
          heartbeatIntervalMs: INTERVAL_MS,
          maxRequestMs: TRUST_MS,
          leases: [],
        },
      };
    case 'heartbeat':
      return { $case: 'heartbeat', value: { ...database, sequence: message.value.sequence } };
    case 'acquire':
      return {
        $case: 'lease',
        value: {
          accountId: message.value.accountId,
          sequence: message.value.sequence,
          grantedTotal: CREDIT_NANOS,
          spentTotal: 0n,
          returnedTotal: 0n,
          refused: false,
          balanceNanos: CREDIT_NANOS,
          availableNanos: 0n,
          suspended: false,
        },
      };
    case 'close':
      return { $case: 'closed', value: { sessionId: message.value.sessionId } };
    case 'return':
    case 'release':
    case 'acquireCap':
    case 'returnCap':
    case undefined:
      return undefined;
    default:
      return message satisfies never;
  }
}
