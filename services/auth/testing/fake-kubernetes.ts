import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

interface StoredSecret {
  metadata: { name: string; resourceVersion: string; labels?: Record<string, string> };
  type: string;
  data: Record<string, string>;
}

const PATH = '/api/v1/namespaces/gateway/secrets';

/** The Secrets of an API server of Kubernetes, as far as its documentation says how they are read, created and replaced. */
export class FakeKubernetes {
  readonly secrets = new Map<string, StoredSecret>();
  /** `METHOD name` of everything that was changed. */
  readonly writes: string[] = [];
  /** Runs before a change is looked at: another client that is quicker. */
  beforeWrite: ((name: string) => void) | undefined;
  readonly #server: Server;
  readonly #token: string;
  #version = 0;

  private constructor(token: string) {
    this.#token = token;
    this.#server = createServer((request, response) => {
      this.#respond(request).then(
        ([status, body]) =>
          response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
        (error: unknown) => response.writeHead(500).end(JSON.stringify({ message: String(error) })),
      );
    });
  }

  static async start(token: string): Promise<FakeKubernetes> {
    const fake = new FakeKubernetes(token);
    await new Promise<void>((resolve) => fake.#server.listen(0, '127.0.0.1', resolve));
    return fake;
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}`;
  }

  stop(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }

  /** The files of a Secret, as text. */
  files(name: string): Record<string, string> {
    const data: Record<string, string> = this.secrets.get(name)?.data ?? {};
    return Object.fromEntries(
      Object.entries(data).map(([file, bytes]) => [file, Buffer.from(bytes, 'base64').toString()]),
    );
  }

  /** Puts a Secret there, as another client does. */
  put(name: string, files: Record<string, string>): void {
    const data = Object.entries(files).map(([file, contents]) => [file, Buffer.from(contents).toString('base64')]);
    this.#store({ metadata: { name, resourceVersion: '' }, type: 'kubernetes.io/tls', data: Object.fromEntries(data) });
  }

  #store(secret: StoredSecret): StoredSecret {
    this.#version += 1;
    const stored = { ...secret, metadata: { ...secret.metadata, resourceVersion: String(this.#version) } };
    this.secrets.set(secret.metadata.name, stored);
    return stored;
  }

  async #respond(request: IncomingMessage): Promise<[number, unknown]> {
    const { method = '', url = '' } = request;
    if (request.headers.authorization !== `Bearer ${this.#token}`) return refusal(401, 'Unauthorized');
    if (url !== PATH && !url.startsWith(`${PATH}/`)) return refusal(404, 'the server could not find the resource');
    const name = url.slice(PATH.length + 1);
    if (method === 'GET') {
      const secret = this.secrets.get(name);
      return secret === undefined ? refusal(404, `secrets "${name}" not found`) : [200, secret];
    }
    const secret: StoredSecret = JSON.parse(await text(request));
    this.beforeWrite?.(secret.metadata.name);
    const there = this.secrets.get(secret.metadata.name);
    if (method === 'POST' && there !== undefined)
      return refusal(409, `secrets "${secret.metadata.name}" already exists`);
    if (method === 'PUT' && there?.metadata.resourceVersion !== secret.metadata.resourceVersion)
      return refusal(409, 'the object has been modified; please apply your changes to the latest version');
    this.writes.push(`${method} ${secret.metadata.name}`);
    return [method === 'POST' ? 201 : 200, this.#store(secret)];
  }
}

function refusal(status: number, message: string): [number, unknown] {
  return [status, { kind: 'Status', status: 'Failure', message, code: status }];
}
