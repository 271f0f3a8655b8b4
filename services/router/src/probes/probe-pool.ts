import { RpcError } from '@tollgate/common/errors';
import { NO_INGRESS } from '@tollgate/common/no-ingress';
import type { CredentialReport, ProbeReport, ProbeTask, TestProviderResponse } from '@tollgate/proto/router';

type Task = NonNullable<ProbeTask['task']>;
type Report = ProbeReport['report'];

/** An ingress that takes tasks. */
export interface ProbeWorker {
  send: (task: ProbeTask) => void;
}

interface OpenTask {
  worker: ProbeWorker;
  resolve: (report: Report) => void;
  reject: (error: RpcError) => void;
}

/**
 * Maximum tasks at the same time: each makes real requests. A task whose caller has left counts until the ingress is done
 * with it.
 */
export const MAX_TASKS = 8;

/** The connected ingresses, which do what needs the credentials of providers. */
export class ProbePool {
  readonly #workers = new Set<ProbeWorker>();
  readonly #open = new Map<bigint, OpenTask>();
  #lastTask = 0n;

  add(worker: ProbeWorker): void {
    this.#workers.add(worker);
  }

  /** Its open tasks fail. */
  remove(worker: ProbeWorker): void {
    this.#workers.delete(worker);
    for (const [taskId, open] of this.#open) {
      if (open.worker !== worker) continue;
      this.#open.delete(taskId);
      open.reject(new RpcError('aborted', 'the ingress disconnected before it was done'));
    }
  }

  /** Takes a report of one of the worker's tasks. A late one is ignored. */
  report(worker: ProbeWorker, { taskId, report }: ProbeReport): void {
    const open = this.#open.get(taskId);
    if (open?.worker !== worker) return;
    this.#open.delete(taskId);
    open.resolve(report);
  }

  /**
   * Has an ingress test a deployment.
   *
   * @throws RpcError unavailable without an ingress
   */
  async test(
    deploymentId: string,
    all: boolean,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<TestProviderResponse> {
    const report = await this.#run({ $case: 'test', value: { deploymentId, all, timeoutMs } }, signal);
    if (report?.$case === 'test') return report.value;
    throw failureOf(report);
  }

  /**
   * Has an ingress read the credentials of all deployments.
   *
   * @throws RpcError unavailable without an ingress
   */
  async credentials(signal: AbortSignal): Promise<CredentialReport> {
    const report = await this.#run({ $case: 'credentials', value: {} }, signal);
    if (report?.$case === 'credentials') return report.value;
    throw failureOf(report);
  }

  async #run(task: Task, signal: AbortSignal): Promise<Report> {
    if (signal.aborted) throw tooLate();
    // The one that connected last: it has the newest configuration in a rollout.
    const worker = [...this.#workers].at(-1);
    if (worker === undefined) throw new RpcError('unavailable', NO_INGRESS);
    if (this.#open.size >= MAX_TASKS) throw new RpcError('resource_exhausted', 'too many tests run now; try again');
    this.#lastTask += 1n;
    const taskId = this.#lastTask;
    const { promise, resolve, reject } = Promise.withResolvers<Report>();
    const leave = () => reject(tooLate());
    signal.addEventListener('abort', leave, { once: true });
    this.#open.set(taskId, { worker, resolve, reject });
    worker.send({ taskId, task });
    try {
      return await promise;
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }
}

function tooLate(): RpcError {
  return new RpcError('deadline_exceeded', 'the ingress did not report in time');
}

function failureOf(report: Report): RpcError {
  const reason = report?.$case === 'failure' ? report.value : 'the ingress does not know this task';
  return new RpcError('failed_precondition', reason);
}
