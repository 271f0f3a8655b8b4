import { preparePython } from './python-driver.ts';

/** Creates the environment of the Python SDKs once, before test files need it concurrently. */
export async function setup(): Promise<void> {
  await preparePython();
}
