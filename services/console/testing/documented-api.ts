import { z } from 'zod';
import type {
  Content,
  JsonSchema,
  OpenApiDocument,
  OperationObject,
  Reference,
  ResponseObject,
} from '../src/openapi/types.ts';
import type { Answer } from './api-client.ts';

/** Where operations are: for people, and for programs. */
export const PREFIXES = ['/api', '/management/v1'] as const;
export type ApiPrefix = (typeof PREFIXES)[number];

export interface DocumentedOperation {
  prefix: ApiPrefix;
  /** Such as `GET /accounts/{account_id}`, without the prefix. */
  route: string;
  operation: OperationObject;
}

/** The OpenAPI document of a running console, and whether its responses are as the document says. */
export class DocumentedApi {
  readonly document: OpenApiDocument;
  readonly operations: readonly DocumentedOperation[];
  /** Schemas that refer to each other, in which every object has only the fields it documents. */
  readonly #schemas: Record<string, JsonSchema>;
  readonly #compiled = new Map<string, z.ZodType>();
  /** Lists of responses, by the place in their schema: whether one had an item. */
  readonly #lists = new Map<string, boolean>();

  private constructor(document: OpenApiDocument) {
    this.document = document;
    this.operations = Object.entries(document.paths).flatMap(([address, item]) =>
      Object.entries(item).map(([method, operation]) => {
        const prefix = PREFIXES.find((each) => address.startsWith(`${each}/`));
        if (prefix === undefined) throw new Error(`${address} has an unknown prefix`);
        return { prefix, route: `${method.toUpperCase()} ${address.slice(prefix.length)}`, operation };
      }),
    );
    this.#schemas = close(JSON.parse(withLocalReferences(document.components.schemas)));
  }

  /** Reads the document as anybody can. */
  static async of(url: string): Promise<DocumentedApi> {
    const response = await fetch(new URL('/openapi.json', url));
    if (!response.ok) throw new Error(`/openapi.json: ${response.status}`);
    return new DocumentedApi((await response.json()) as OpenApiDocument);
  }

  /** The operation of a route under a prefix; undefined if it is not offered there. */
  find(prefix: ApiPrefix, route: string): OperationObject | undefined {
    return this.operations.find((each) => each.prefix === prefix && each.route === route)?.operation;
  }

  /** What in a response differs from what its operation documents; empty if nothing does. */
  problems(
    operation: OperationObject,
    { status, headers, body }: Pick<Answer<never>, 'status' | 'headers'> & { body: unknown },
  ): string[] {
    const documented = this.#resolve(operation.responses[String(status)]);
    if (documented === undefined) return [`the status ${status} is not documented`];
    const [type = ''] = (headers.get('content-type') ?? '').split(';');
    if (documented.content === undefined) return type === '' && body === '' ? [] : ['there should be no body'];
    return this.#bodyProblems(documented.content, type, body);
  }

  /** The documented lists, such as `Key.allowed_models`, of which no response that was checked had an item. */
  get emptyLists(): string[] {
    return [...this.#lists].filter(([, hadItem]) => !hadItem).map(([place]) => place);
  }

  #bodyProblems(content: Content, type: string, body: unknown): string[] {
    const media = content[type];
    if (media === undefined) return [`the content type ${type} is not documented`];
    const item = media['x-item-schema'];
    if (item === undefined) return this.#mismatches(media.schema, body);
    return itemsOf(type, String(body)).flatMap((each) => this.#mismatches(item, each));
  }

  #resolve(response: ResponseObject | Reference | undefined): ResponseObject | undefined {
    if (response === undefined || !('$ref' in response)) return response;
    return this.document.components.responses[response.$ref.replace('#/components/responses/', '')];
  }

  #mismatches(schema: JsonSchema, value: unknown): string[] {
    this.#recordLists('', schema, value);
    const text = withLocalReferences(schema);
    const compiled =
      this.#compiled.get(text) ??
      z.fromJSONSchema({ ...close(JSON.parse(text)), $defs: this.#schemas } as z.core.JSONSchema.JSONSchema);
    this.#compiled.set(text, compiled);
    const result = compiled.safeParse(value);
    return result.success ? [] : result.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  }

  #recordLists(place: string, schema: JsonSchema, value: unknown): void {
    if (typeof value !== 'object' || value === null) return;
    if (schema.$ref !== undefined) {
      const name = schema.$ref.replace('#/components/schemas/', '');
      this.#recordLists(name, this.document.components.schemas[name] ?? {}, value);
    }
    for (const option of schema.anyOf ?? []) this.#recordLists(place, option, value);
    if (Array.isArray(value)) {
      this.#lists.set(place, this.#lists.get(place) === true || value.length > 0);
      const { items } = schema;
      for (const item of value) if (isSchema(items)) this.#recordLists(`${place}[]`, items, item);
      return;
    }
    for (const [name, field] of Object.entries(value)) {
      const property = schema.properties?.[name];
      if (isSchema(property)) this.#recordLists(`${place}.${name}`, property, field);
    }
  }
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function withLocalReferences(value: unknown): string {
  return JSON.stringify(value).replaceAll('#/components/schemas/', '#/$defs/');
}

/** Forbids further fields in the objects of a schema: clients must allow them, but every one must be documented. */
function close<T>(schema: T): T {
  if (typeof schema !== 'object' || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map(close) as T;
  const entries = Object.entries(schema).map(([key, value]) => [key, close(value)]);
  const isOpen = 'properties' in schema && !('additionalProperties' in schema);
  return Object.fromEntries(isOpen ? [...entries, ['additionalProperties', false]] : entries);
}

/** The lines or events of a streamed response. */
function itemsOf(type: string, text: string): unknown[] {
  const prefix = type === 'text/event-stream' ? 'data: ' : '';
  return text
    .split('\n')
    .filter((line) => line !== '' && line.startsWith(prefix))
    .map((line) => JSON.parse(line.slice(prefix.length)));
}
