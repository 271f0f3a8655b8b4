import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { FRAMEWORKS } from '@tollgate/client-setups/clients';
import { CHECKOUT } from '@tollgate/local';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROTOCOLS, type ProtocolName } from '../scenario.ts';
import { modelOn } from '../support/catalogue.ts';
import { type SimulatedGateway, startSimulatedGateway } from '../support/gateway.ts';
import { JAVASCRIPT, PYTHON, prepareFrameworks } from './driver-process.ts';

/** What the pages show. */
const BASE_URL = 'http://127.0.0.1:8080';
const MODEL = 'simulated-small';
const run = promisify(execFile);

let gateway: SimulatedGateway;
let python: string;

beforeAll(async () => {
  [gateway, python] = await Promise.all([startSimulatedGateway(), prepareFrameworks()]);
}, 240_000);

afterAll(async () => {
  await gateway?.stop();
});

/** The code blocks of a page in a language. */
function examplesOf(page: string, language: 'js' | 'python'): string[] {
  return [...page.matchAll(/^```(\w+)\n(.*?)\n```$/gms)].flatMap(([, of, code = '']) =>
    of === language ? [code] : [],
  );
}

const SETUPS = FRAMEWORKS.map((setup) =>
  setup({
    baseUrl: BASE_URL,
    serviceName: 'tollgate',
    secret: null,
    model: MODEL,
    contextWindow: null,
    maxOutputTokens: null,
    inputModalities: [],
  }),
);

describe.each(SETUPS)('the page of $id', ({ id, blocks }) => {
  const page = readFileSync(join(CHECKOUT, `docs/clients/${id}.md`), 'utf8');

  it('shows what the console and the command print', () => {
    for (const { code } of blocks) expect(page).toContain(`\n${code}\n\`\`\``);
  });

  // Each example calls a model of another upstream in turn; LONG=1: every example calls all.
  const isLong = process.env['LONG'] === '1';
  const cases = (language: 'js' | 'python') =>
    examplesOf(page, language).flatMap((code, index) => {
      const upstreams = isLong ? PROTOCOLS : [PROTOCOLS[index % PROTOCOLS.length] ?? 'openai-chat'];
      return upstreams.map((upstream) => ({ code, upstream, number: index + 1 }));
    });
  const runnable = ({ code, upstream }: { code: string; upstream: ProtocolName }) =>
    code.replaceAll(BASE_URL, gateway.baseUrl).replaceAll(MODEL, modelOn(upstream));
  const environment = () => ({ PATH: process.env['PATH'], TOLLGATE_KEY: gateway.account.key });

  it.each(cases('js'))('has example $number in JavaScript, here with a model of $upstream', async (example) => {
    const options = { cwd: JAVASCRIPT, env: environment() };
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', runnable(example)], options);
    expect(stdout).toMatch(/\w{3}/);
  });

  if (cases('python').length === 0) return;
  it('has examples in Python', async () => {
    const running = run(python, [join(PYTHON, 'run_examples.py')], { env: environment() });
    running.child.stdin?.end(JSON.stringify(cases('python').map(runnable)));
    const printed: unknown = JSON.parse((await running).stdout);
    expect(printed).toEqual(cases('python').map(() => expect.stringMatching(/\w{3}/)));
  });
});
