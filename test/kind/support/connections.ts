import type { Release } from './release.ts';

/** A port to test: its owner and address. */
export interface Target {
  title: string;
  ip: string;
  port: number;
}

const TRY_MS = 3_000;

/** Tries all targets concurrently and prints those that accept a connection. */
const NODE_SCRIPT = `
  const { connect } = require('node:net');
  const tried = JSON.parse(process.argv[1]).map(({ title, ip, port }) => new Promise((resolve) => {
    const socket = connect(port, ip);
    const end = (open) => { socket.destroy(); resolve(open ? [title] : []); };
    socket.setTimeout(${TRY_MS}, () => end(false));
    socket.on('connect', () => end(true));
    socket.on('error', () => end(false));
  }));
  Promise.all(tried).then((open) => console.log(open.flat().join('\\n')));`;

/** The same without Node.js: lines of title, address and port are one argument. */
const SHELL_SCRIPT = `
  while read -r title ip port; do
    (timeout ${TRY_MS / 1_000} bash -c "</dev/tcp/$ip/$port" 2>/dev/null && echo "$title") &
  done <<<"$1"
  wait`;

/** The targets that accept a connection from a pod. */
export async function openTo(
  release: Pick<Release, 'exec'>,
  pod: string,
  targets: readonly Target[],
  hasNode: boolean,
): Promise<string[]> {
  const lines = targets.map(({ title, ip, port }) => `${title} ${ip} ${port}`).join('\n');
  const command = hasNode
    ? ['node', '--eval', NODE_SCRIPT, JSON.stringify(targets)]
    : ['bash', '-c', SHELL_SCRIPT, '-', lines];
  const said = await release.exec(pod, ...command);
  return said.split('\n').filter((line) => line !== '');
}
