import { connect } from 'node:net';
import { MessageReader } from './message-reader.ts';

/**
 * Sends requests one after the other on a connection of its own.
 *
 * @throws Error for a response other than 200, a broken connection, and when the signal aborts
 */
export function sendRequests(port: number, requests: Iterator<string>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', signal });
    const reader = new MessageReader();
    const send = () => {
      const request = requests.next();
      if (request.done === true) socket.end(resolve);
      else socket.write(request.value);
    };
    socket.on('connect', send);
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('the connection was closed')));
    socket.on('data', (chunk) => {
      const response = reader.read(chunk);
      if (response === undefined) return;
      if (response.startsWith('HTTP/1.1 200 ')) send();
      else socket.destroy(new Error(`unexpected response: ${response.slice(0, response.indexOf('\r\n'))}`));
    });
  });
}
