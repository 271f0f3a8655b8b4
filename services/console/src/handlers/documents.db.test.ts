import { newId } from '@tollgate/common/ids';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiClient } from '../../testing/api-client.ts';
import { csvRecords } from '../../testing/csv-records.ts';
import { pdfPages } from '../../testing/pdf-text.ts';
import { RunningConsole } from '../../testing/running-console.ts';

const DOCUMENT = 'GET /accounts/{account_id}/statements/{month}/document' as const;
const RECEIPT = 'GET /accounts/{account_id}/deposits/{deposit_id}/receipt' as const;
const COMPANY = {
  COMPANY_NAME: 'Beispiel Gateway GmbH',
  COMPANY_ADDRESS: 'Große Straße 12\n10115 Berlin',
  COMPANY_TAX_ID: 'DE123456789',
  COMPANY_EMAIL: 'billing@gateway.example',
};

let running: RunningConsole;
let accountId: string;
let owner: ApiClient;
let depositId: string;
let month: string;

beforeAll(async () => {
  running = await RunningConsole.start(COMPANY);
  accountId = await running.createAccount('Acme & Söhne');
  owner = (await running.signedIn('owner', accountId)).api;
  depositId = await running.fund(accountId, 50_000_000_000n);
  await running.charge(accountId, { costNanos: 412_500n }, { costNanos: 3n, model: 'large' });
  month = await running.issueStatement(accountId);
});
afterAll(() => running.stop());

const statementOf = () => ({ account_id: accountId, month });

async function download(route: typeof DOCUMENT | typeof RECEIPT, path: object, api = owner, query = {}) {
  const response = await api.fetch(route, { path, query } as never);
  return { response, content: new Uint8Array(await response.arrayBuffer()) };
}

describe('a statement', () => {
  it('is a PDF file with the sums of the API, from the company and for the account', async () => {
    const { response, content } = await download(DOCUMENT, statementOf());
    expect(response.headers.get('content-type')).toBe('application/pdf');
    expect(response.headers.get('content-disposition')).toBe(`attachment; filename="statement-${month}.pdf"`);
    expect(response.headers.get('content-length')).toBe(String(content.length));
    const { closing } = await owner.ok('GET /accounts/{account_id}/statements/{month}', { path: statementOf() });
    expect(closing).toBe('49.999587497');
    const text = (await pdfPages(content)).join(' ');
    for (const part of ['Beispiel Gateway GmbH', '10115 Berlin', 'DE123456789', 'Acme & Söhne', `$${closing} closing`])
      expect(text).toContain(part);
    expect(text).toMatch(/large 1 −\$0\.000000003/);
  });

  it('is CSV, whose amounts lead from the opening to the closing balance', async () => {
    const { response, content } = await download(DOCUMENT, statementOf(), owner, { format: 'csv' });
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    const records = csvRecords(content);
    expect(records.map(({ kind, amount }) => [kind, amount])).toEqual([
      ['deposit', '50'],
      ['charges', expect.stringMatching(/^-/)],
      ['charges', expect.stringMatching(/^-/)],
    ]);
    const { data } = await owner.ok('GET /accounts/{account_id}/statements/{month}/lines', { path: statementOf() });
    expect(records.map(({ amount }) => amount)).toEqual(data.map(({ amount }) => amount));
  });

  it.each(['pdf', 'csv'])('as %s of a month without one is not found', async (format) => {
    const path = { account_id: accountId, month: '2020-01' };
    const { response } = await download(DOCUMENT, path, owner, { format });
    expect(response.status).toBe(404);
  });
});

describe('a receipt', () => {
  it('is a PDF file', async () => {
    const { response, content } = await download(RECEIPT, { account_id: accountId, deposit_id: depositId });
    expect(response.headers.get('content-disposition')).toMatch(/^attachment; filename="receipt-R-[-0-9A-F]+\.pdf"$/);
    const [page = ''] = await pdfPages(content);
    for (const part of ['Receipt', 'Beispiel Gateway GmbH', 'Acme & Söhne', depositId, '$50.00 paid on', 'for a test'])
      expect(page).toContain(part);
  });

  it('is found for payments of the account only', async () => {
    const other = await running.createAccount('Other');
    const api = (await running.signedIn('operator')).api;
    const body = { kind: 'adjustment', amount: '1', reason: 'goodwill', idempotency_key: newId() } as const;
    const path = { account_id: accountId };
    const granted = await api.ok('POST /accounts/{account_id}/deposits', { path, body });
    for (const [account_id, deposit_id] of [
      [other, depositId],
      [accountId, granted.deposit_id],
      [accountId, newId()],
      [accountId, 'ffffffff-ffff-4fff-8fff-ffffffffffff'],
    ])
      expect((await download(RECEIPT, { account_id, deposit_id }, api)).response.status).toBe(404);
  });
});

it('a document stays as it was first read, whoever reads it then, whatever the company and the account are called', async () => {
  const before = {
    statement: (await download(DOCUMENT, statementOf())).content,
    receipt: (await download(RECEIPT, { account_id: accountId, deposit_id: depositId })).content,
  };
  const later = await running.fund(accountId, 1_000_000_000n);
  await owner.ok('PATCH /accounts/{account_id}', { path: { account_id: accountId }, body: { name: 'Renamed' } });
  const renamed = await running.replica({ ...COMPANY, COMPANY_NAME: 'Renamed GmbH', COMPANY_ADDRESS: '' });
  try {
    const { personId } = await running.signedIn('billing', accountId);
    const api = await renamed.signIn(personId);
    expect((await download(DOCUMENT, statementOf(), api)).content).toEqual(before.statement);
    const path = { account_id: accountId, deposit_id: depositId };
    expect((await download(RECEIPT, path, api)).content).toEqual(before.receipt);
    const { content } = await download(RECEIPT, { account_id: accountId, deposit_id: later }, api);
    expect((await pdfPages(content))[0]).toMatch(/Renamed GmbH .* Received from Renamed /);
  } finally {
    await renamed.stop();
  }
});

it('what is kept of documents is never changed or removed', async () => {
  const { pool } = running.console.dependencies;
  await expect(pool.query(`UPDATE console.documents SET issuer = '{}'`)).rejects.toThrow('never changed');
  await expect(pool.query('DELETE FROM console.documents')).rejects.toThrow('never changed');
});
