import { Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { expect, it } from 'vitest';
import { onceThereIsAnOperator } from './once-there-is-an-operator.ts';

function failure(code: status): ServiceError {
  return Object.assign(new Error('failed'), { code, details: 'failed', metadata: new Metadata() });
}

/** A call that fails with these codes, one after another, and then succeeds. */
function failing(...codes: status[]) {
  const calls = { count: 0 };
  const call = async () => {
    const code = codes[calls.count];
    calls.count += 1;
    if (code !== undefined) throw failure(code);
    return 'made';
  };
  return { call, calls };
}

it('makes the call again while there is no operator', async () => {
  const { call, calls } = failing(status.NOT_FOUND, status.NOT_FOUND);
  expect(await onceThereIsAnOperator(call, { retryMs: 1 })).toBe('made');
  expect(calls.count).toBe(3);
});

it('gives up after its time, and at once for another error', async () => {
  const never = failing(...Array.from({ length: 1_000 }, () => status.NOT_FOUND));
  await expect(onceThereIsAnOperator(never.call, { withinMs: 20, retryMs: 5 })).rejects.toMatchObject({
    code: status.NOT_FOUND,
  });
  const refused = failing(status.PERMISSION_DENIED);
  await expect(onceThereIsAnOperator(refused.call)).rejects.toMatchObject({ code: status.PERMISSION_DENIED });
  expect(refused.calls.count).toBe(1);
});
