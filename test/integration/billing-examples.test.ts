import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHECKOUT } from '@tollgate/local';
import { send } from '@tollgate/test-support/gateway/http';
import { at } from '@tollgate/test-support/gateway/json';
import { type Stack, startStack } from '@tollgate/test-support/gateway/stack';
import { makeTemporaryFolder, type TemporaryFolder } from '@tollgate/test-support/temporary-folder';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { curlCommands, readCurl } from './support/curl.ts';

const DOCUMENTED_ORIGIN = 'http://127.0.0.1:8080';
const documentation = (file: string) => readFileSync(join(CHECKOUT, file), 'utf8');
const BILLING = documentation('docs/reference/billing.md');
let folder: TemporaryFolder;
let stack: Stack;
let variables: Record<string, string>;

beforeAll(async () => {
  folder = makeTemporaryFolder();
  stack = await startStack({ data: join(folder.path, 'data'), quiet: true });
  variables = { TOLLGATE_KEY: stack.facts.api_key };
  // The README's first request; the examples of billing look it up.
  const [first = ''] = curlCommands(documentation('README.md'));
  const response = await run(first);
  variables['REQUEST_ID'] = String(response.headers['x-request-id']);
  variables['TRACE_ID'] = String(response.headers['x-trace-id']);
});
afterAll(async () => {
  await stack.stop();
  folder.remove();
});

async function run(command: string) {
  const { origin, ...wire } = readCurl(command, variables);
  expect(origin).toBe(DOCUMENTED_ORIGIN);
  const response = await send(stack.facts.base_url, wire);
  expect({ command, status: response.status, text: response.text }).toMatchObject({ status: 200 });
  return response;
}

it.each(curlCommands(BILLING))('%s', async (command) => {
  const { json } = await run(command);
  const what = /billing\/([a-z]+)\/?(\$?)/.exec(command);
  if (what?.[2] === '$') expect(at(json, 'request_id')).toBe(variables['REQUEST_ID']);
  else if (what?.[1] === 'balance') expect(at(json, 'currency')).toBe('USD');
  else expect(json).toEqual({ data: expect.any(Array), next_cursor: null });
});

it('the documented record has the fields of real records, in order', async () => {
  const [command = ''] = curlCommands(BILLING);
  const [, documented = ''] = /^```json\n(.*?)^```$/ms.exec(BILLING) ?? [];
  const { json } = await run(command);
  expect(Object.keys(Object(JSON.parse(documented)))).toEqual(Object.keys(Object(json)));
  expect(at(JSON.parse(documented), 'usage')).toEqual(at(json, 'usage'));
  expect(at(JSON.parse(documented), 'lines')).toEqual(at(json, 'lines'));
  expect(at(JSON.parse(documented), 'cost')).toBe(at(json, 'cost'));
});
