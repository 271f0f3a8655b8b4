import {
  createFileRegistry,
  type DescExtension,
  type DescField,
  type DescMessage,
  type DescMethod,
  type DescService,
  type FileRegistry,
  fromBinary,
  getOption,
  ScalarType,
} from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { type FieldRules, Format, type Operation, type Permission } from '@tollgate/proto/api';
import { DESCRIPTORS } from '@tollgate/proto/descriptor';

let registry: FileRegistry | undefined;
const rules = new WeakMap<DescField, FieldRules>();

function descriptors(): FileRegistry {
  registry ??= createFileRegistry(fromBinary(FileDescriptorSetSchema, Buffer.from(DESCRIPTORS, 'base64')));
  return registry;
}

/** The descriptor of a message, such as `tollgate.auth.v1.ApiKey`. */
export function messageNamed(name: string): DescMessage {
  const message = descriptors().getMessage(name);
  if (message === undefined) throw new Error(`there is no message ${name}`);
  return message;
}

/** The descriptor of a method, such as `tollgate.auth.v1.AuthService/CreateKey`. */
export function methodNamed(method: string): DescMethod {
  const [service = '', name] = method.split('/');
  const known = descriptors()
    .getService(service)
    ?.methods.find((each) => each.name === name);
  if (known === undefined) throw new Error(`there is no method ${method}`);
  return known;
}

/** All services of the proto files. */
export function services(): DescService[] {
  return [...descriptors()].filter((type) => type.kind === 'service');
}

function extensionNamed(name: string): DescExtension {
  const known = descriptors().getExtension(`tollgate.api.v1.${name}`);
  if (known === undefined) throw new Error(`there is no option ${name}`);
  return known;
}

// Options are read by another library than messages; both have the same form of a message.

/** What a field may hold, and how it is written as JSON. */
export function rulesOf(field: DescField): FieldRules {
  let known = rules.get(field);
  if (known === undefined) {
    const given = getOption(field, extensionNamed('field')) as unknown as FieldRules;
    known = { ...given, format: given.format === Format.UNSPECIFIED ? formatOfName(field) : given.format };
    rules.set(field, known);
  }
  return known;
}

function formatOfName({ name, scalar }: DescField): Format {
  if (scalar === undefined || scalar === ScalarType.STRING) return Format.UNSPECIFIED;
  if (name.endsWith('_nanos')) return Format.MONEY;
  if (name.endsWith('_ppm')) return Format.PERCENT;
  return /_(at|until)_ms$/.test(name) ? Format.TIME : Format.UNSPECIFIED;
}

/** The description of a message; empty: none. */
export function descriptionOf(message: DescMessage): string {
  return getOption(message, extensionNamed('description')) as string;
}

/** Who may make a call. */
export function permissionOf(method: DescMethod): Permission {
  return getOption(method, extensionNamed('permission')) as unknown as Permission;
}

/** The operations of the management API that a call is. */
export function operationsOf(method: DescMethod): readonly Operation[] {
  return getOption(method, extensionNamed('operation')) as unknown as Operation[];
}

/** The one field of a message that only wraps a list or a map, which cannot be optional by themselves. */
export function wrappedField(message: DescMessage): DescField | undefined {
  const [only, ...others] = message.fields;
  return only !== undefined && others.length === 0 && (only.fieldKind === 'list' || only.fieldKind === 'map')
    ? only
    : undefined;
}

/** Whether all fields of a message may be absent. */
export function isSettings(message: DescMessage): boolean {
  return message.fields.every(({ proto }) => proto.proto3Optional);
}

/** Whether a message is one of several, by its one `oneof`: an object with a `type` in JSON. */
export function isUnion({ fields, oneofs }: DescMessage): boolean {
  return oneofs.length === 1 && fields.every(({ oneof }) => oneof !== undefined);
}
