import type { DescField, DescMessage, DescMethod } from '@bufbuild/protobuf';
import { rolesOf } from '@tollgate/common/actors/permissions';
import type { RoleName } from '@tollgate/common/actors/roles';
import { jsonNameOf } from '@tollgate/common/descriptors/json';
import { operationsOf, permissionOf, rulesOf, services } from '@tollgate/common/descriptors/registry';
import { Access, type Operation as Described } from '@tollgate/proto/api';

/** The service whose operations have handlers here. */
export const CONSOLE_SERVICE = 'tollgate.console.v1.ConsoleService';

const MAX_BODY_BYTES = 100_000;

/** One operation of the management API, as its proto file describes it. */
export interface Operation {
  /** Unique. `operationId` of OpenAPI; in the web app's API it begins with `web`. */
  id: string;
  /** Such as `GET /accounts/{account_id}/keys`. */
  route: string;
  method: string;
  path: string;
  summary: string;
  /** Its group in the OpenAPI document. */
  tag: string;
  /** Who may call it: everybody, whoever is signed in, or actors of these roles. */
  access: 'anyone' | 'person' | readonly RoleName[];
  /** Also offered to programs with a management key, under /management/v1. */
  programs: boolean;
  rpc: DescMethod;
  /** The fields of the request, by where they are sent. */
  inPath: readonly DescField[];
  inQuery: readonly DescField[];
  /** Undefined: it has no body. */
  inBody: readonly DescField[] | undefined;
  /** Fields that stay empty. */
  unset: readonly DescField[];
  /** The field that gets the address of the client. */
  clientAddress: DescField | undefined;
  maxBodyBytes: number;
  bodyDescription: string;
  /** The field of the response that is the API's; undefined: all of them are. */
  result: DescField | undefined;
  /** The response has no body. */
  isEmpty: boolean;
  /** Of a response that its handler sends in pieces; empty: it is JSON. */
  contentTypes: readonly string[];
  /** What a change has done that returns once every ingress has confirmed it. */
  done: string | undefined;
}

/** All operations, in the order of the proto files. */
export const OPERATIONS: readonly Operation[] = services().flatMap(({ methods }) =>
  methods.flatMap((rpc) => operationsOf(rpc).map((described) => read(rpc, described))),
);

function read(rpc: DescMethod, described: Described): Operation {
  const { route, summary, tag, programs, bodyDescription, contentTypes } = described;
  const [method = '', path = ''] = route.split(' ');
  const inPath = new Set([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
  const unset = new Set(described.unset);
  const clientAddress = rpc.input.fields.find((field) => rulesOf(field).clientAddress);
  const others = rpc.input.fields.filter(
    (field) => !inPath.has(jsonNameOf(field)) && !unset.has(field.name) && field !== clientAddress,
  );
  const hasBody = method !== 'GET' && method !== 'DELETE' && others.length > 0;
  return {
    id: described.id === '' ? rpc.localName : described.id,
    route,
    method,
    path,
    summary,
    tag,
    programs,
    access: accessTo(rpc, described, inPath.has('account_id')),
    rpc,
    inPath: [...inPath].map((name) => fieldOf(rpc.input, name, jsonNameOf)),
    inQuery: hasBody ? [] : others,
    inBody: hasBody ? others : undefined,
    unset: described.unset.map((name) => fieldOf(rpc.input, name)),
    clientAddress,
    maxBodyBytes: described.maxBodyBytes === 0 ? MAX_BODY_BYTES : described.maxBodyBytes,
    bodyDescription,
    result: described.result === '' ? undefined : fieldOf(rpc.output, described.result),
    isEmpty: rpc.output.fields.every((field) => rulesOf(field).internal),
    contentTypes,
    done: described.done === '' ? undefined : described.done,
  };
}

function fieldOf(
  message: DescMessage,
  name: string | undefined,
  nameOf = (each: DescField): string => each.name,
): DescField {
  const field = message.fields.find((each) => nameOf(each) === name);
  if (field === undefined) throw new Error(`${message.typeName} has no field ${name}`);
  return field;
}

function accessTo(rpc: DescMethod, { access, route }: Described, ofAccount: boolean): Operation['access'] {
  switch (access) {
    case Access.ANYONE:
      return 'anyone';
    case Access.PERSON:
      return 'person';
    case Access.UNSPECIFIED: {
      const roles = rolesOf(permissionOf(rpc).roles);
      if (roles.length === 0) throw new Error(`${route}: nobody may call it`);
      return ofAccount ? roles : ['operator'];
    }
    default:
      return access satisfies never;
  }
}
