import { join } from 'node:path';
import { type Facts, startStack } from '@tollgate/local';
import { makeTemporaryFolder } from '@tollgate/test-support/temporary-folder';
import '@tollgate/test-support/vitest/context';
import type { TestProject } from 'vitest/node';
import { removeEvidence } from './screenshots.ts';

/** The running stack, which all test files share. */
export interface SharedStack {
  facts: Facts & Required<Pick<Facts, 'console'>>;
  /** Folder of the logs of its processes. */
  logs: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    stack: SharedStack;
  }
}

/** What documents say of who issues them. */
const COMPANY = {
  COMPANY_NAME: 'Beispiel Gateway GmbH',
  COMPANY_ADDRESS: 'Große Straße 12\n10115 Berlin',
  COMPANY_TAX_ID: 'DE123456789',
};

/** Starts everything as processes, with three ingresses, a console, its operator, payments with a stand-in for Stripe, and demo requests: once for all files. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  removeEvidence();
  const folder = makeTemporaryFolder();
  const data = join(folder.path, 'data');
  try {
    const stack = await startStack({
      data,
      ingresses: 3,
      console: {},
      payments: {},
      redis: project.getProvidedContext().servers.redisUrl,
      quiet: true,
      env: { REDIS_TIMEOUT_MS: '10000', CONTROL: 'true', ...COMPANY },
    });
    const { console, ...facts } = stack.facts;
    if (console === undefined) throw new Error('the stack has no console');
    project.provide('stack', { facts: { ...facts, console }, logs: join(data, 'logs') });
    return async () => {
      await stack.stop();
      folder.remove();
    };
  } catch (error) {
    folder.remove();
    throw error;
  }
}
