import { type ChildProcess, spawn } from 'node:child_process';
import { connect } from 'node:net';
import { findFreePort, waitUntil } from '@tollgate/local';
import { KIND } from './cluster.ts';

const UP_WITHIN_MS = 30_000;
const PAUSE_MS = 200;

/** A local port that is forwarded to a pod or service. */
export interface Forward {
  port: number;
  /** `127.0.0.1:<port>` */
  address: string;
  stop: () => void;
}

/**
 * Forwards a port, and again whenever forwarding ends, such as when the pod is replaced. Network policies do not apply,
 * because the traffic comes from the node.
 *
 * @param target `service/name` or `pod/name`
 */
export async function forward(namespace: string, target: string, podPort: number): Promise<Forward> {
  const port = await findFreePort();
  let child: ChildProcess | undefined;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const start = () => {
    const args = ['--namespace', namespace, 'port-forward', target, `${port}:${podPort}`];
    child = spawn(KIND.kubectl, args, { env: { ...process.env, KUBECONFIG: KIND.kubeconfig }, stdio: 'ignore' });
    child.on('exit', () => {
      if (!stopped) timer = setTimeout(start, PAUSE_MS);
    });
  };
  start();
  const stop = () => {
    stopped = true;
    clearTimeout(timer);
    child?.kill();
  };
  const what = `${target} of ${namespace} is forwarded`;
  try {
    await waitUntil(() => accepts(port), { what, timeoutMs: UP_WITHIN_MS, intervalMs: PAUSE_MS });
  } catch (error) {
    stop();
    throw error;
  }
  return { port, address: `127.0.0.1:${port}`, stop };
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}
