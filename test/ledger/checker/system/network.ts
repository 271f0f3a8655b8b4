import {
  credentials,
  InterceptingCall,
  type InterceptingListener,
  type InterceptorOptions,
  Metadata,
  type ServiceError,
  status,
} from '@grpc/grpc-js';
import {
  type LeaseResponse,
  LedgerServiceClient,
  LedgerServiceService,
  type SettleResponse,
} from '@tollgate/proto/ledger';
import type { Replica } from '../support/replica.ts';
import { ServerCall } from '../support/server-call.ts';
import { type Actor, asActor } from '../support/virtual-time.ts';

/** A message in transit. */
type Body =
  | { kind: 'message'; bytes: Buffer }
  | { kind: 'end' }
  | { kind: 'cancel' }
  | { kind: 'status'; code: status; details: string };

interface Packet {
  wire: Wire;
  toServer: boolean;
  body: Body;
}

/** One call of an ingress at a replica of the ledger. */
interface Wire {
  name: 'Lease' | 'Settle';
  ingress: Actor;
  replica: Replica;
  server: ServerSide | undefined;
  client: ClientSide;
}

/** A handler's side of a call, in bytes. */
interface ServerSide {
  receive: (bytes: Buffer) => void;
  halfClose: () => void;
  cancel: () => void;
}

export interface NetworkEvents {
  /** A replica responded to a session. */
  responded: (response: LeaseResponse) => void;
  /** A replica confirmed a heartbeat of this session. */
  confirmed: (sessionId: string) => void;
  settled: (response: SettleResponse) => void;
}

/**
 * The network between ingresses and ledgers. Messages flow in order, or are held back and then delivered, lost and repeated
 * in any order: more than a connection does, since an ingress may have several connections at the same time.
 */
export class Network {
  /** Messages are held back. */
  held = false;
  /** All waiting messages are delivered at the same time. */
  burst = false;
  readonly #events: NetworkEvents;
  readonly #replicas: () => readonly Replica[];
  readonly #wires = new Set<Wire>();
  #packets: Packet[] = [];
  #turn = 0;

  constructor(replicas: () => readonly Replica[], events: NetworkEvents) {
    this.#replicas = replicas;
    this.#events = events;
  }

  /** A client of the ledger, whose calls go to its replicas in turn. */
  client(ingress: Actor): LedgerServiceClient {
    return new LedgerServiceClient('127.0.0.1:1', credentials.createInsecure(), {
      interceptors: [(options) => new InterceptingCall(new ClientSide(this, ingress, options))],
    });
  }

  open(ingress: Actor, path: string, client: ClientSide): Wire | undefined {
    const replicas = this.#replicas().filter((replica) => !replica.dead);
    this.#turn += 1;
    const replica = replicas[this.#turn % replicas.length];
    if (replica === undefined) return undefined;
    const name = path.endsWith('/Lease') ? 'Lease' : 'Settle';
    const wire: Wire = { name, ingress, replica, server: undefined, client };
    this.#wires.add(wire);
    return wire;
  }

  send(wire: Wire, toServer: boolean, body: Body): void {
    this.#packets.push({ wire, toServer, body });
  }

  /** Number of messages in transit. */
  get inTransit(): number {
    return this.#packets.length;
  }

  /** Delivers messages that are not held back. @returns whether there were any */
  flow(): boolean {
    if (this.held) return false;
    const ready = this.#packets.filter((packet) => this.#isReady(packet));
    const next = this.burst ? ready : ready.slice(0, 1);
    if (next.length === 0) return false;
    this.#packets = this.#packets.filter((packet) => !next.includes(packet));
    for (const packet of next) this.#deliver(packet);
    return true;
  }

  /** Delivers one of the messages held back, and keeps it if it is to be repeated. */
  deliver(pick: number, twice: boolean): void {
    const ready = this.#packets.filter((packet) => this.#isReady(packet));
    const packet = ready[pick % ready.length];
    if (packet === undefined) return;
    if (!twice || packet.body.kind !== 'message') this.#remove(packet);
    this.#deliver(packet);
  }

  /** Drops one of the messages held back. The end of a call is always delivered eventually. */
  lose(pick: number): void {
    const messages = this.#packets.filter(({ body }) => body.kind === 'message');
    const packet = messages[pick % messages.length];
    if (packet !== undefined) this.#remove(packet);
  }

  /**
   * Ends all calls of an ingress or of a replica with a status; earlier messages to a ledger may still arrive, unless they
   * are dropped.
   */
  cut(end: Actor, code = status.UNAVAILABLE, loses = false): void {
    for (const wire of this.#wires) {
      if (wire.ingress !== end && wire.replica !== end) continue;
      this.#wires.delete(wire);
      const mayArrive = !end.dead && !loses;
      this.#packets = this.#packets.filter((packet) => packet.wire !== wire || (packet.toServer && mayArrive));
      this.send(wire, false, { kind: 'status', code, details: 'the call was interrupted' });
      this.send(wire, true, { kind: 'cancel' });
    }
  }

  #remove(packet: Packet): void {
    this.#packets = this.#packets.filter((other) => other !== packet);
  }

  #isReady({ wire, toServer }: Packet): boolean {
    return !(toServer ? wire.replica : wire.ingress).paused;
  }

  #deliver({ wire, toServer, body }: Packet): void {
    if (toServer) this.#toServer(wire, body);
    else if (!wire.ingress.dead) asActor(wire.ingress, () => wire.client.receive(body));
  }

  #toServer(wire: Wire, body: Body): void {
    if (wire.replica.dead) {
      this.send(wire, false, { kind: 'status', code: status.UNAVAILABLE, details: 'the ledger was killed' });
      return;
    }
    asActor(wire.replica, () => {
      wire.server ??= this.#serve(wire);
      switch (body.kind) {
        case 'message':
          wire.server.receive(body.bytes);
          break;
        case 'end':
          wire.server.halfClose();
          break;
        case 'cancel':
          wire.server.cancel();
          break;
        case 'status':
          break;
        default:
          body satisfies never;
      }
    });
  }

  #serve(wire: Wire): ServerSide {
    const ended = (error: ServiceError | undefined) => {
      const details = error?.details ?? '';
      this.send(wire, false, { kind: 'status', code: error?.code ?? status.OK, details });
    };
    const { handlers } = wire.replica;
    if (wire.name === 'Lease') {
      const { requestDeserialize, responseSerialize } = LedgerServiceService.lease;
      let sessionId = '';
      const call = new ServerCall<ReturnType<typeof requestDeserialize>, LeaseResponse>({
        sent: (response) => {
          this.#events.responded(response);
          if (response.message?.$case === 'opened') sessionId = response.message.value.sessionId;
          if (response.message?.$case === 'heartbeat') this.#events.confirmed(sessionId);
          this.send(wire, false, { kind: 'message', bytes: responseSerialize(response) });
        },
        ended,
      });
      handlers.lease(call);
      return sideOf(call, requestDeserialize);
    }
    const { requestDeserialize, responseSerialize } = LedgerServiceService.settle;
    const call = new ServerCall<ReturnType<typeof requestDeserialize>, SettleResponse>({
      sent: (response) => {
        this.#events.settled(response);
        this.send(wire, false, { kind: 'message', bytes: responseSerialize(response) });
      },
      ended,
    });
    handlers.settle(call);
    return sideOf(call, requestDeserialize);
  }
}

function sideOf<Request, Response>(
  call: ServerCall<Request, Response>,
  deserialize: (bytes: Buffer) => Request,
): ServerSide {
  return {
    receive: (bytes) => call.receive(deserialize(bytes)),
    halfClose: () => call.halfClose(),
    cancel: () => call.cancel(),
  };
}

/** The ingress's end of a call, as the gRPC client requires it. */
class ClientSide {
  readonly #network: Network;
  readonly #ingress: Actor;
  readonly #method: InterceptorOptions['method_definition'];
  #listener: Partial<InterceptingListener> = {};
  #wire: Wire | undefined;
  #received: Buffer[] = [];
  #reads = 0;
  #over = false;
  /** The status of the call, delivered after everything received before was read. */
  #status: { code: status; details: string } | undefined;

  constructor(network: Network, ingress: Actor, options: InterceptorOptions) {
    this.#network = network;
    this.#ingress = ingress;
    this.#method = options.method_definition;
  }

  start(_metadata: Metadata, listener: Partial<InterceptingListener> = {}): void {
    this.#listener = listener;
    this.#wire = this.#network.open(this.#ingress, this.#method.path, this);
    if (this.#wire === undefined) this.#end({ code: status.UNAVAILABLE, details: 'no ledger is running' });
  }

  sendMessageWithContext(context: { callback?: (error?: Error | null) => void }, message: unknown): void {
    this.sendMessage(message);
    if (context.callback !== undefined) process.nextTick(context.callback, null);
  }

  sendMessage(message: unknown): void {
    const bytes = this.#method.requestSerialize(message);
    if (this.#wire !== undefined) this.#network.send(this.#wire, true, { kind: 'message', bytes });
  }

  startRead(): void {
    this.#reads += 1;
    process.nextTick(() => this.#pass());
  }

  halfClose(): void {
    if (this.#wire !== undefined) this.#network.send(this.#wire, true, { kind: 'end' });
  }

  cancelWithStatus(code: status, details: string): void {
    if (this.#wire !== undefined) this.#network.send(this.#wire, true, { kind: 'cancel' });
    this.#received = [];
    this.#end({ code, details });
  }

  getPeer(): string {
    return 'history';
  }

  getAuthContext(): null {
    return null;
  }

  /** Takes a message that arrived. */
  receive(body: Body): void {
    if (this.#over || this.#status !== undefined) return;
    if (body.kind === 'message') this.#received.push(body.bytes);
    else if (body.kind === 'status') this.#end(body);
    this.#pass();
  }

  #end({ code, details }: { code: status; details: string }): void {
    this.#status ??= { code, details };
    process.nextTick(() => this.#pass());
  }

  #pass(): void {
    while (this.#reads > 0) {
      const bytes = this.#received.shift();
      if (bytes === undefined) break;
      this.#reads -= 1;
      this.#listener.onReceiveMessage?.(this.#method.responseDeserialize(bytes));
    }
    if (this.#status === undefined || this.#over || this.#received.length > 0) return;
    this.#over = true;
    this.#listener.onReceiveStatus?.({ ...this.#status, metadata: new Metadata() });
  }
}
