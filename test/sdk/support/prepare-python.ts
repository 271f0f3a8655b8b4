import { preparePython } from './python-driver.ts';

/** Creates the Python SDKs' environment before any file of the tests asks for it: two that made it at once would disturb each other. */
export async function setup(): Promise<void> {
  await preparePython();
}
