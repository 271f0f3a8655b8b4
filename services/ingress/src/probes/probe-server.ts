import type { ClientDuplexStream } from '@grpc/grpc-js';
import { traceMetadata } from '@tollgate/common/grpc/client';
import { ReconnectingStream } from '@tollgate/common/grpc/reconnecting-stream';
import type { Logger } from '@tollgate/common/logging';
import {
  CredentialState,
  type DeploymentCredential,
  type ProbeReport,
  type ProbeTask,
  type RouterServiceClient,
} from '@tollgate/proto/router';
import { type CredentialSources, credentialsFor } from '../exchange/credentials/credentials.ts';
import type { ProviderAccess } from '../exchange/upstream/ask.ts';
import type { Route, RouteTable } from '../shared/catalogue/route-table.ts';
import { testProvider } from './test-provider.ts';

/** Maximum tasks at the same time, of the present stream and of earlier ones: each makes real requests. */
export const MAX_TASKS = 8;
const RECONNECT_MIN_MS = 500;
const RECONNECT_MAX_MS = 10_000;

type ProbeStream = ClientDuplexStream<ProbeReport, ProbeTask>;

export interface ProbeServerOptions extends ProviderAccess {
  router: RouterServiceClient;
  routes: { readonly table: RouteTable | undefined };
  ingressName: string;
  logger: Logger;
}

/** Does what operators ask the router for and only an ingress can: it has the credentials of providers. */
export class ProbeServer {
  readonly #options: ProbeServerOptions;
  readonly #stream: ReconnectingStream<ProbeTask, ProbeStream>;
  #running = 0;

  constructor(options: ProbeServerOptions) {
    this.#options = options;
    this.#stream = new ReconnectingStream<ProbeTask, ProbeStream>({
      open: () => options.router.serveProbes(traceMetadata()),
      received: (task, call) => this.#receive(task, call),
      lost: (reason) => options.logger.debug({ reason }, 'the stream of probes broke'),
      minDelayMs: RECONNECT_MIN_MS,
      maxDelayMs: RECONNECT_MAX_MS,
    });
  }

  start(): void {
    this.#stream.start();
  }

  stop(): void {
    this.#stream.stop()?.cancel();
  }

  #receive({ taskId, task }: ProbeTask, call: ProbeStream): void {
    this.#stream.reset();
    const send = (report: ProbeReport['report']) => {
      // A result for a stream that broke in the meantime is not awaited any more.
      if (call === this.#stream.call) call.write({ taskId, report });
    };
    if (this.#running >= MAX_TASKS) {
      send(failure('the ingress runs too many tests now; try again'));
      return;
    }
    this.#running += 1;
    void this.#report(task).then((report) => {
      this.#running -= 1;
      send(report);
    });
  }

  /** The report of a task, which is a failure if it throws. */
  async #report(task: ProbeTask['task']): Promise<ProbeReport['report']> {
    try {
      return await this.#run(task);
    } catch (error) {
      this.#options.logger.error({ err: error }, 'a probe failed');
      return failure('the ingress failed; its log has the error');
    }
  }

  async #run(task: ProbeTask['task']): Promise<ProbeReport['report']> {
    const { table } = this.#options.routes;
    if (table === undefined) return failure('the ingress has no catalogue yet');
    switch (task?.$case) {
      case 'credentials':
        return { $case: 'credentials', value: { deployments: credentialStates(table, this.#options) } };
      case 'test': {
        const { deploymentId, ...options } = task.value;
        const target = targetIn(table, deploymentId);
        if (target === undefined) return failure(`the ingress does not know the deployment ${deploymentId} yet`);
        const { ingressName } = this.#options;
        return { $case: 'test', value: await testProvider(this.#options, target, { ...options, ingressName }) };
      }
      case undefined:
        return failure('the ingress does not know this task');
      default:
        return task satisfies never;
    }
  }
}

function failure(reason: string): ProbeReport['report'] {
  return { $case: 'failure', value: reason };
}

function targetIn(table: RouteTable, deploymentId: string) {
  for (const entry of table.models) {
    const route = entry.routes.find(({ deployment }) => deployment.deploymentId === deploymentId);
    if (route !== undefined) return { entry, route };
  }
  return undefined;
}

/** Whether this ingress can read the credentials of each deployment. The credentials themselves are not sent anywhere. */
function credentialStates(table: RouteTable, sources: CredentialSources): DeploymentCredential[] {
  return table.models.flatMap(({ routes }) => routes.map((route) => stateOf(route, sources)));
}

/** Short-lived credentials of a cloud are present: a call shows whether they can be obtained. */
function stateOf(route: Route, sources: CredentialSources): DeploymentCredential {
  const { deploymentId } = route.deployment;
  const credentials = credentialsFor(sources, route);
  for (const credential of credentials) {
    if (credential.kind === 'missing') {
      return { deploymentId, state: CredentialState.MISSING, detail: credential.detail };
    }
  }
  const isNeeded = credentials.some(({ kind }) => kind !== 'none');
  return { deploymentId, state: isNeeded ? CredentialState.PRESENT : CredentialState.NOT_NEEDED, detail: '' };
}
