import { RpcError } from '@tollgate/common/errors';
import { NO_INGRESS } from '@tollgate/common/no-ingress';
import type { CredentialReport, ProbeReport, ProbeTask, TestProviderResponse } from '@tollgate/proto/router';

type Task = NonNullable<ProbeTask['task']>;
type Report = ProbeReport['report'];

/** An ingress that takes tasks. */
export interface ProbeWorker {
  send: (task: ProbeTask) => void;
}

interface Waiting {
  worker: ProbeWorker;
  resolve: (report: Report) => void;
  reject: (error: RpcError) => void;
}

/** Maximum tasks at the same time: each makes real requests. */
const MAX_TASKS = 8;

/** The connected ingresses, which do what needs the credentials of providers. */
export class ProbePool {
  readonly #workers = new Set<ProbeWorker>();
  readonly #waiting = new Map<bigint, Waiting>();
  #lastTask = 0n;

  add(worker: ProbeWorker): void {
    this.#workers.add(worker);
  }

  /** Its open tasks fail. */
  remove(worker: ProbeWorker): void {
    this.#workers.delete(worker);
    for (const [taskId, waiting] of this.#waiting) {
      if (waiting.worker !== worker) continue;
      this.#waiting.delete(taskId);
      waiting.reject(new RpcError('aborted', 'the ingress disconnected before it was done'));
    }
  }

  /** Takes a report of one of the worker's tasks. A late one is ignored. */
  report(worker: ProbeWorker, { taskId, report }: ProbeReport): void {
    const waiting = this.#waiting.get(taskId);
    if (waiting?.worker !== worker) return;
    this.#waiting.delete(taskId);
    waiting.resolve(report);
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

  #run(task: Task, signal: AbortSignal): Promise<Report> {
    // The one that connected last: it has the newest configuration in a rollout.
    const worker = [...this.#workers].at(-1);
    if (worker === undefined) throw new RpcError('unavailable', NO_INGRESS);
    if (this.#waiting.size >= MAX_TASKS) throw new RpcError('resource_exhausted', 'too many tests run now; try again');
    this.#lastTask += 1n;
    const taskId = this.#lastTask;
    return new Promise<Report>((resolve, reject) => {
      const cancel = () => {
        this.#waiting.delete(taskId);
        reject(new RpcError('deadline_exceeded', 'the ingress did not report in time'));
      };
      signal.addEventListener('abort', cancel, { once: true });
      const settled = () => signal.removeEventListener('abort', cancel);
      this.#waiting.set(taskId, {
        worker,
        resolve: (report) => {
          settled();
          resolve(report);
        },
        reject: (error) => {
          settled();
          reject(error);
        },
      });
      worker.send({ taskId, task });
    });
  }
}

function failureOf(report: Report): RpcError {
  const reason = report?.$case === 'failure' ? report.value : 'the ingress does not know this task';
  return new RpcError('failed_precondition', reason);
}
