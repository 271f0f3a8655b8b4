import { CredentialState, type ProbeReport, type ProbeTask, TestProviderResponse } from '@tollgate/proto/router';
import { beforeEach, describe, expect, it } from 'vitest';
import { MAX_TASKS, ProbePool, type ProbeWorker } from './probe-pool.ts';

/** An ingress that keeps the tasks it is sent. */
class TestWorker implements ProbeWorker {
  readonly tasks: ProbeTask[] = [];
  readonly send = (task: ProbeTask) => void this.tasks.push(task);
}

let pool: ProbePool;
let worker: TestWorker;

beforeEach(() => {
  pool = new ProbePool();
  worker = new TestWorker();
  pool.add(worker);
});

const never = new AbortController().signal;
const test = (deploymentId: string, signal = never) => pool.test(deploymentId, false, 1_000, signal);

/** A report of the test of a deployment. */
function reportOf({ taskId, task }: ProbeTask): ProbeReport {
  const deploymentId = task?.$case === 'test' ? task.value.deploymentId : '';
  return { taskId, report: { $case: 'test', value: TestProviderResponse.fromPartial({ deploymentId }) } };
}

function taskAt(index: number, of = worker): ProbeTask {
  const task = of.tasks.at(index);
  if (task === undefined) throw new Error(`there is no task ${index}`);
  return task;
}

describe('concurrent tests', () => {
  it('each get their own report, in whatever order they end', async () => {
    const results = ['a', 'b', 'c'].map((id) => test(id));
    const credentials = pool.credentials(never);
    expect(worker.tasks.map(({ task }) => task?.$case)).toEqual(['test', 'test', 'test', 'credentials']);
    const deployments = [{ deploymentId: 'm@p', state: CredentialState.PRESENT, detail: '' }];
    pool.report(worker, { taskId: taskAt(3).taskId, report: { $case: 'credentials', value: { deployments } } });
    for (const index of [2, 0, 1]) pool.report(worker, reportOf(taskAt(index)));
    expect((await Promise.all(results)).map(({ deploymentId }) => deploymentId)).toEqual(['a', 'b', 'c']);
    expect(await credentials).toEqual({ deployments });
  });

  it('are sent to the ingress that connected last', async () => {
    const newer = new TestWorker();
    pool.add(newer);
    const result = test('a');
    expect(worker.tasks).toEqual([]);
    pool.report(newer, reportOf(taskAt(0, newer)));
    expect(await result).toMatchObject({ deploymentId: 'a' });
  });

  it('are bounded, and one that ends makes room', async () => {
    const results = Array.from({ length: MAX_TASKS }, (_, index) => test(String(index)));
    await expect(test('more')).rejects.toMatchObject({ code: 'resource_exhausted' });
    expect(worker.tasks).toHaveLength(MAX_TASKS);
    pool.report(worker, reportOf(taskAt(0)));
    results.push(test('next'));
    for (const task of worker.tasks.slice(1)) pool.report(worker, reportOf(task));
    expect((await Promise.all(results)).at(-1)).toMatchObject({ deploymentId: 'next' });
  });
});

describe('an ingress', () => {
  it('that vanishes fails its tests, and no others', async () => {
    const lost = test('lost');
    const other = new TestWorker();
    pool.add(other);
    const kept = test('kept');
    pool.remove(worker);
    await expect(lost).rejects.toMatchObject({ code: 'aborted' });
    pool.report(other, reportOf(taskAt(0, other)));
    expect(await kept).toMatchObject({ deploymentId: 'kept' });
  });

  it('that vanishes leaves the tests to the one before it', async () => {
    const newer = new TestWorker();
    pool.add(newer);
    pool.remove(newer);
    const result = test('a');
    pool.report(worker, reportOf(taskAt(0)));
    expect(await result).toMatchObject({ deploymentId: 'a' });
  });

  it('that vanishes makes room for as many tests at the next one', async () => {
    const lost = Array.from({ length: MAX_TASKS }, (_, index) => test(String(index)));
    pool.remove(worker);
    for (const { status } of await Promise.allSettled(lost)) expect(status).toBe('rejected');
    await expect(test('none')).rejects.toMatchObject({ code: 'unavailable' });
    const next = new TestWorker();
    pool.add(next);
    const result = test('a');
    pool.report(next, reportOf(taskAt(0, next)));
    expect(await result).toMatchObject({ deploymentId: 'a' });
  });

  it('cannot answer for another one', async () => {
    const other = new TestWorker();
    const result = test('a');
    pool.add(other);
    const { taskId } = taskAt(0);
    pool.report(other, { taskId, report: { $case: 'failure', value: 'not mine' } });
    pool.report(worker, reportOf(taskAt(0)));
    expect(await result).toMatchObject({ deploymentId: 'a' });
  });

  it.each<[ProbeReport['report'], string]>([
    [{ $case: 'failure', value: 'the ingress has no catalogue yet' }, 'the ingress has no catalogue yet'],
    [undefined, 'the ingress does not know this task'],
    [{ $case: 'credentials', value: { deployments: [] } }, 'the ingress does not know this task'],
  ])('that reports %j fails the test with the reason', async (report, message) => {
    const result = test('a');
    pool.report(worker, { taskId: taskAt(0).taskId, report });
    await expect(result).rejects.toMatchObject({ code: 'failed_precondition', message });
  });
});

describe('a time limit', () => {
  it('ends the wait for a report; one that comes later is ignored', async () => {
    const caller = new AbortController();
    const late = test('late', caller.signal);
    const patient = test('patient');
    caller.abort();
    await expect(late).rejects.toMatchObject({ code: 'deadline_exceeded' });
    pool.report(worker, reportOf(taskAt(0)));
    pool.report(worker, reportOf(taskAt(1)));
    expect(await patient).toMatchObject({ deploymentId: 'patient' });
  });

  it('that has passed before the test sends nothing', async () => {
    await expect(test('a', AbortSignal.abort())).rejects.toMatchObject({ code: 'deadline_exceeded' });
    expect(worker.tasks).toEqual([]);
  });

  it('makes no room: the ingress is still at work', async () => {
    const caller = new AbortController();
    const left = Array.from({ length: MAX_TASKS }, (_, index) => test(String(index), caller.signal));
    caller.abort();
    for (const { status } of await Promise.allSettled(left)) expect(status).toBe('rejected');
    await expect(test('more')).rejects.toMatchObject({ code: 'resource_exhausted' });
    pool.report(worker, reportOf(taskAt(0)));
    const result = test('now');
    pool.report(worker, reportOf(taskAt(-1)));
    expect(await result).toMatchObject({ deploymentId: 'now' });
  });
});
