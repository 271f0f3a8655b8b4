/** The parts of OpenAPI 3.1 that the console's document has: https://spec.openapis.org/oas/v3.1.1.html */

/** The parts of JSON Schema that it has. */
export interface JsonSchema {
  $ref?: string;
  type?: 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object' | 'null';
  description?: string;
  format?: string;
  pattern?: string;
  enum?: readonly string[];
  const?: string;
  default?: string | number;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  items?: JsonSchema;
  minItems?: number;
  maxItems?: number;
  properties?: Record<string, JsonSchema>;
  required?: readonly string[];
  additionalProperties?: boolean | JsonSchema;
  maxProperties?: number;
  anyOf?: readonly JsonSchema[];
  oneOf?: readonly JsonSchema[];
}

/** Also a schema. */
export type Reference = {
  $ref: string;
};

export interface Parameter {
  name: string;
  in: 'path' | 'query';
  required: boolean;
  description?: string;
  schema: JsonSchema;
}

export interface MediaType {
  schema: JsonSchema;
  /** Of one line or event of a streamed response. */
  'x-item-schema'?: JsonSchema;
}

export type Content = Record<string, MediaType>;

export interface ResponseObject {
  description: string;
  headers?: Record<string, { description: string; schema: JsonSchema }>;
  content?: Content;
}

export interface OperationObject {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  /** The roles that may call it; undefined: it does not depend on a role. */
  'x-roles'?: readonly string[];
  security: Record<string, string[]>[];
  parameters: Parameter[];
  requestBody?: { required: true; content: Content };
  /** By status, or `default`. */
  responses: Record<string, ResponseObject | Reference>;
}

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

export interface SecurityScheme {
  type: 'apiKey' | 'http';
  description: string;
  in?: 'cookie';
  name?: string;
  scheme?: 'bearer';
  bearerFormat?: string;
}

export interface OpenApiDocument {
  openapi: string;
  info: { title: string; version: string; description: string; license: { name: string; identifier: string } };
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Partial<Record<Method, OperationObject>>>;
  components: {
    schemas: Record<string, JsonSchema>;
    responses: Record<string, ResponseObject>;
    securitySchemes: Record<string, SecurityScheme>;
  };
}
