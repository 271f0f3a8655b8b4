import type { Api } from '@tollgate/console/api/index';
import { vi } from 'vitest';
import type { Person } from './people.ts';

type Query = Api['GET /accounts/{account_id}/requests']['query'];
type Row = Api['GET /accounts/{account_id}/requests']['response']['data'][number];

/** The requests of the last hour, newest first, once there are so many: charges and refusals arrive a moment later. */
export function requestsOf(
  { api }: Person,
  accountId: string,
  count: number,
  filters: Omit<Query, 'start' | 'end'> = {},
): Promise<Row[]> {
  return vi.waitFor(
    async () => {
      const start = new Date(Date.now() - 3_600_000).toISOString();
      const end = new Date(Date.now() + 60_000).toISOString();
      const query = { ...filters, start, end, limit: 200 };
      const path = { account_id: accountId };
      const { data } = await api.ok('GET /accounts/{account_id}/requests', { path, query });
      if (data.length < count) throw new Error(`${data.length} of ${count} requests are recorded`);
      return data;
    },
    { timeout: 60_000, interval: 250 },
  );
}
