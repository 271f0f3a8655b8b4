import { send } from '@tollgate/test-support/gateway/http';
import { at, listAt } from '@tollgate/test-support/gateway/json';

/** The records of a key's completed requests, the last one first. */
export async function completedRecords(baseUrl: string, key: string): Promise<unknown[]> {
  const now = Date.now();
  const range = `start=${new Date(now - 600_000).toISOString()}&end=${new Date(now + 60_000).toISOString()}`;
  const headers = { authorization: `Bearer ${key}` };
  const response = await send(baseUrl, { path: `/v1/billing/requests?${range}`, headers });
  return listAt(response.json, 'data').filter((record) => at(record, 'status') === 'completed');
}
