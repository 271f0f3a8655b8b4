import { execFileSync, spawn } from 'node:child_process';
import { connect, createServer } from 'node:net';

/**
 * Runs in the namespaces of a sandboxed command: `inside.ts SOCKET PORT COMMAND ARGS...`. Brings up the loopback
 * interface, forwards the gateway's port to the socket file outside, and ends with the command's exit status.
 */
const [socket = '', port = '', command = '', ...args] = process.argv.slice(2);

execFileSync('ip', ['link', 'set', 'lo', 'up']);
const server = createServer({ allowHalfOpen: true }, (near) => {
  const far = connect({ path: socket, allowHalfOpen: true });
  near.pipe(far).pipe(near);
  near.on('error', () => far.destroy());
  far.on('error', () => near.destroy());
});
server.listen(Number(port), '127.0.0.1', () => {
  const child = spawn(command, args, { stdio: 'inherit' });
  child.on('error', (error) => {
    process.stderr.write(`${error.message}\n`);
    process.exit(127);
  });
  child.on('exit', (code) => process.exit(code ?? 128));
});
