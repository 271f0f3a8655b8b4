import { connect } from 'node:net';

/** The commands that Redis receives while monitored. */
export interface RedisMonitor {
  /** The lines so far that contain a text. */
  linesWith: (text: string) => string[];
  close: () => void;
}

/** Monitors a Redis with MONITOR. */
export function monitorRedis(url: string): Promise<RedisMonitor> {
  const { hostname, port, password } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port === '' ? '6379' : port) });
  let seen = '';
  const linesWith = (text: string) => seen.split('\r\n').filter((line) => line.includes(text));
  return new Promise((resolve, reject) => {
    socket.on('error', reject);
    socket.on('data', (chunk) => {
      seen += chunk.toString('utf8');
      if (linesWith('+OK').length > 0) resolve({ linesWith, close: () => socket.destroy() });
    });
    if (password !== '') socket.write(`AUTH ${decodeURIComponent(password)}\r\n`);
    socket.write('MONITOR\r\n');
  });
}
