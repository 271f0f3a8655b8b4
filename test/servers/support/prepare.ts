import { prepareLlamaServer } from './llama-server.ts';

/** Installs the servers, which may take longer than a test. */
export async function setup(): Promise<void> {
  await prepareLlamaServer();
}
