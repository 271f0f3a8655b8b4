import { RpcError } from '@tollgate/common/errors';
import { createLogger } from '@tollgate/common/logging';
import { actorWith, calledBy } from '@tollgate/common/testing/actors';
import { expect, it } from 'vitest';
import { unavailableInOutage } from './unavailable-in-outage.ts';

const failingWith = (error: unknown) =>
  unavailableInOutage('GetBalance', createLogger('test', 'silent'), () => Promise.reject(error))(
    {},
    calledBy(actorWith()),
  );
const withCode = (code: string) => Object.assign(new Error('failed'), { code });

it.each([
  ['a server that shuts down', withCode('57P01')],
  ['a refused connection', withCode('ECONNREFUSED')],
  ['a connection that broke', new Error('Connection terminated unexpectedly')],
])('is unavailable in an outage: %s', async (_, error) => {
  await expect(failingWith(error)).rejects.toMatchObject({ name: 'RpcError', code: 'unavailable', cause: error });
});

it.each([
  ['an RPC error', new RpcError('not_found', 'no such account')],
  ['an error in the data', withCode('22003')],
  ['a bug', new TypeError('x is undefined')],
])('passes on other errors: %s', async (_, error) => {
  await expect(failingWith(error)).rejects.toBe(error);
});
