import { prepareFrameworks } from '../frameworks/driver-process.ts';
import { preparePython } from './python-driver.ts';

/** Installs the SDKs and frameworks once, before test files need them concurrently. */
export async function setup(): Promise<void> {
  await Promise.all([preparePython(), prepareFrameworks()]);
}
