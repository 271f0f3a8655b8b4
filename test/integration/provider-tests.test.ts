import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { CHECKOUT } from '@tollgate/local';
import { UPSTREAM_PROTOCOLS } from '@tollgate/test-support/gateway/catalogue';
import { type Gateway, PROVIDER_KEY } from '@tollgate/test-support/gateway/gateway';
import { describe, expect, it } from 'vitest';
import { withGateway } from './support/shared-gateway.ts';

let gateway: Gateway;

withGateway.beforeAll(({ gateway: shared }) => {
  gateway = shared;
});

interface CommandResult {
  status: number;
  stdout: string;
  stderr: string;
}

/** Runs the command line as an operator does. */
function tollgate(...args: string[]): Promise<CommandResult> {
  const { auth, ledger, router } = gateway.stack.facts.grpc;
  const addresses = { AUTH_ADDRESS: auth, LEDGER_ADDRESS: ledger, ROUTER_ADDRESS: router };
  const env = { ...process.env, ...addresses, TOLLGATE_OPERATOR: 'tester' };
  return new Promise((resolve) => {
    execFile(join(CHECKOUT, 'services/cli/bin/tollgate'), args, { env }, (error, stdout, stderr) => {
      resolve({ status: typeof error?.code === 'number' ? error.code : 0, stdout, stderr });
    });
  });
}

interface Check {
  name: string;
  result: string;
  detail: string;
  hint: string | null;
}

const REQUIRED = ['whole', 'usage', 'stream', 'stream_usage', 'tools', 'tool_result', 'error'];

describe('tollgate providers', () => {
  it('lists address, models, health and whether an ingress has the credential, but never the credential', async () => {
    const { status, stdout } = await tollgate('providers', '--json');
    expect(status).toBe(0);
    const { providers } = JSON.parse(stdout);
    const named = (id: string) => providers.find((provider: { id: string }) => provider.id === id);
    expect(named('sim')).toMatchObject({
      protocol: 'openai-chat',
      base_url: `${gateway.simulator.url}/v1`,
      simulated: true,
      credential: 'present',
    });
    expect(named('sim').models).toBeGreaterThan(10);
    expect(named('unkeyed')).toMatchObject({
      credential: 'missing',
      credential_problem: 'environment variable TEST_UNSET_KEY is not set',
    });
    expect(named('sim-gemini')).toMatchObject({ protocol: 'gemini', credential: 'not_needed' });
    expect(stdout).not.toContain(PROVIDER_KEY);
    const table = await tollgate('providers');
    expect(table.stdout).toMatch(/^sim \(simulated\) +openai-chat +none +http:\S+ +\d+ +present +/m);
  });
});

describe('tollgate providers test', () => {
  it.each(['sim', ...UPSTREAM_PROTOCOLS.slice(1).map((protocol) => `sim-${protocol}`)])(
    'shows that everything required holds at %s',
    async (provider) => {
      const { status, stdout, stderr } = await tollgate('providers', 'test', provider, '--json');
      const report = JSON.parse(stdout);
      const checks: Check[] = report.checks;
      expect(checks.map(({ name, result }) => `${name} ${result}`)).toEqual(REQUIRED.map((name) => `${name} holds`));
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      expect(report).toMatchObject({ provider });
      // whole, stream, a tool call by choice and by force, its result, and an invalid request without usage
      expect(report.requests).toBe(6);
      expect(Number(report.input_tokens)).toBeGreaterThan(0);
      expect(report.cost).toMatch(/^0\.0\d+$/);
    },
  );

  it('checks what only some models can do, of a model of choice', async () => {
    const { status, stdout } = await tollgate('providers', 'test', 'sim', '--model', 'thinking', '--all');
    expect(status).toBe(0);
    expect(stdout).toMatch(/^thinking at sim \(/);
    expect(stdout).toMatch(/^json_schema +holds +\d+ ms +the response matches the schema$/m);
    expect(stdout).toMatch(/^cached_tokens +lacks /m);
    expect(stdout).toMatch(
      /^\d+ requests, \d+ input and \d+ output tokens: 0\.\d+ USD at the price of the catalogue$/m,
    );
  });

  it.each([
    ['sim-embeddings', 'embed-only', []],
    ['sim-gemini', 'embed-gemini', ['--model', 'embed-gemini', '--all']],
  ])('tests an embedding model of %s', async (provider, model, options) => {
    const { status, stdout, stderr } = await tollgate('providers', 'test', provider, ...options);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(new RegExp(`^${model} at ${provider} `));
    expect(stdout).toMatch(/^embeddings +holds +\d+ ms +2 vectors of \d+ numbers$/m);
    expect(stdout).toMatch(/^usage +holds +\d+ ms +\d+ input tokens$/m);
    expect(stdout).toMatch(/^error +holds +/m);
    expect(stdout).toMatch(/^2 requests, \d+ input and 0 output tokens: 0\.\d+ USD/m);
    expect(stdout).not.toMatch(/^(whole|stream|tools|json_schema) /m);
  });

  it('tests a model that is disabled', async () => {
    const { status, stdout } = await tollgate('providers', 'test', 'sim', '--model', 'switched-off');
    expect(status).toBe(0);
    expect(stdout).toMatch(/^switched-off at sim/);
  });

  it('fails with what to do about it: nothing listens, no credential', async () => {
    const dead = await tollgate('providers', 'test', 'dead');
    expect(dead).toMatchObject({ status: 1, stderr: expect.stringContaining('dead does not hold: whole') });
    expect(dead.stdout).toMatch(/^whole +fails .*ECONNREFUSED/m);
    expect(dead.stdout).toMatch(/^stream +skipped +the first request failed$/m);
    expect(dead.stdout).toContain('whole: Nothing listens there (connection refused).');
    const unkeyed = await tollgate('providers', 'test', 'unkeyed');
    expect(unkeyed.status).toBe(1);
    expect(unkeyed.stdout).toContain('environment variable TEST_UNSET_KEY is not set');
    expect(unkeyed.stdout).toContain('whole: The ingress has no credential.');
  });

  it.each([
    { args: ['nowhere'], error: 'the catalogue has no provider nowhere' },
    { args: ['sim', '--model', 'nothing'], error: 'the catalogue has no model nothing with a deployment at sim' },
  ])('refuses $args', async ({ args, error }) => {
    expect(await tollgate('providers', 'test', ...args)).toMatchObject({ status: 1, stderr: `error: ${error}\n` });
  });
});
