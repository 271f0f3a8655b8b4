import { randomUUID } from 'node:crypto';
import type { RoleName } from '@tollgate/common/actors/roles';
import type { Api } from '@tollgate/console/api/index';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject } from 'vitest';
import { launchBrowser, type OpenedPage, openPage, type PageOptions } from './browser.ts';
import { createMember, type Person, signIn } from './people.ts';
import { keepEvidence } from './screenshots.ts';
import { serveAssets } from './serve-assets.ts';
import type { SharedStack } from './shared-stack.ts';

type NewKey = Api['POST /accounts/{account_id}/keys']['body'];
type CreatedKey = Api['POST /accounts/{account_id}/keys']['response'];

/** The running console, a browser, and people and accounts to use it with. */
export class ConsoleUnderTest {
  readonly facts: SharedStack['facts'];
  readonly url: string;
  readonly #logs: string;
  #browser: Browser | undefined;
  #operator: Promise<Person> | undefined;
  /** Those of a test are closed when it ends; those of its file, at the end of the file. */
  readonly #windows: OpenedPage[] = [];

  constructor({ facts, logs }: SharedStack) {
    this.facts = facts;
    this.url = facts.console.url;
    this.#logs = logs;
  }

  async start(): Promise<void> {
    this.#browser = await launchBrowser();
  }

  async stop(): Promise<void> {
    await this.#browser?.close();
  }

  get windows(): number {
    return this.#windows.length;
  }

  /** Expects that no window has reported anything, and closes those that were opened after the first `kept`. */
  async endTest(kept: number, test: string, failed: boolean): Promise<void> {
    const complaints = this.#windows.flatMap((each) => each.complaints.splice(0));
    if (failed || complaints.length > 0) {
      const folder = await keepEvidence(test, this.#windows, this.#logs);
      process.stdout.write(`${test} failed: screenshots and logs are in ${folder}\n`);
    }
    await Promise.all(this.#windows.splice(kept).map(({ context }) => context.close()));
    expect(complaints).toEqual([]);
  }

  /** A window of somebody who is signed in, or of nobody. */
  async open(person?: Person, options?: PageOptions): Promise<OpenedPage> {
    if (this.#browser === undefined) throw new Error('the browser is not running');
    const opened = await openPage(this.#browser, options);
    this.#windows.push(opened);
    await serveAssets(opened.context);
    if (person !== undefined) {
      const [name = '', value = ''] = person.cookie.split('=');
      await opened.context.addCookies([{ name, value, url: this.url, httpOnly: true, sameSite: 'Strict' }]);
    }
    return opened;
  }

  /** The operator whom the console created. */
  operator(): Promise<Person> {
    const { operator_email: email, operator_password: password } = this.facts.console;
    this.#operator ??= signIn(this.url, email, password);
    return this.#operator;
  }

  /** Another person with a role. */
  person(role: RoleName, accountId = ''): Promise<Person> {
    return createMember(this.url, this.facts.grpc, role, accountId);
  }

  /** The id of a new account with a credit in dollars. */
  async createAccount(name: string, credit = '0'): Promise<string> {
    const { api } = await this.operator();
    const body = { name, idempotency_key: randomUUID() };
    const { account_id } = await api.ok('POST /operator/accounts', { body });
    if (credit !== '0') {
      const deposit = { kind: 'deposit', amount: credit, reason: 'For a test', idempotency_key: randomUUID() } as const;
      await api.ok('POST /accounts/{account_id}/deposits', { path: { account_id }, body: deposit });
    }
    return account_id;
  }

  /** The account with requests of several keys and models, some of them refused. */
  async demoAccount(): Promise<string> {
    const { api } = await this.operator();
    const { data } = await api.ok('GET /operator/accounts', { query: { limit: 200 } });
    const demo = data.find(({ name }) => name === 'Demo');
    if (demo === undefined) throw new Error('there is no demo account');
    return demo.account_id;
  }

  /** The address of a page of an account. */
  page(accountId: string, path: `/${string}`): string {
    return `${this.url}/accounts/${accountId}${path}`;
  }
}

/** Creates a key. */
export function createKey({ api }: Person, accountId: string, body: NewKey): Promise<CreatedKey> {
  return api.ok('POST /accounts/{account_id}/keys', { path: { account_id: accountId }, body });
}

/** The console for the tests of a file. */
export function useConsole(): ConsoleUnderTest {
  const tollgate = new ConsoleUnderTest(inject('stack'));
  let kept = 0;
  beforeAll(() => tollgate.start());
  afterAll(() => tollgate.stop());
  beforeEach(() => {
    kept = tollgate.windows;
  });
  afterEach(({ task }) => tollgate.endTest(kept, task.name, task.result?.state === 'fail'));
  return tollgate;
}
