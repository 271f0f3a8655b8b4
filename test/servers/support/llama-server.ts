import { execFile, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { CHECKOUT } from '@tollgate/local';
import { makeTemporaryFolder } from '@tollgate/test-support/temporary-folder';
import { preparePython } from '../../sdk/support/python-driver.ts';

const FOLDER = join(CHECKOUT, 'test/servers/llama-cpp');
const START_MS = 60_000;

export interface LlamaServer {
  url: string;
  stop: () => Promise<void>;
}

/** Installs llama.cpp on first use. @returns the path of its python */
export function prepareLlamaServer(): Promise<string> {
  return preparePython(join(FOLDER, 'requirements.txt'), 'venv-llama-cpp');
}

/** Starts llama.cpp with the model of `make_model.py`. */
export async function startLlamaServer(apiKey: string): Promise<LlamaServer> {
  const python = await prepareLlamaServer();
  const folder = makeTemporaryFolder();
  const model = join(folder.path, 'model.gguf');
  await promisify(execFile)(python, [join(FOLDER, 'make_model.py'), model, join(FOLDER, 'template.jinja')]);
  const child = spawn(python, [join(FOLDER, 'serve.py'), model, apiKey], { stdio: ['pipe', 'pipe', 'pipe'] });
  // The end of its log explains a failed start.
  let log = '';
  child.stderr.on('data', (bytes: Buffer) => {
    log = (log + bytes.toString('utf8')).slice(-4_000);
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const stop = async () => {
    child.kill('SIGKILL');
    await ended;
    folder.remove();
  };
  try {
    const url = await new Promise<string>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`llama.cpp did not start: ${log}`)), START_MS);
      child.once('exit', (code) => reject(new Error(`llama.cpp ended with ${String(code)}: ${log}`)));
      createInterface({ input: child.stdout }).on('line', (line) => {
        if (!line.startsWith('http://')) return;
        clearTimeout(timer);
        resolve(line.trim());
      });
    });
    return { url, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
