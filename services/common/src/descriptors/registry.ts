import {
  createFileRegistry,
  type DescExtension,
  type DescField,
  type DescMessage,
  type DescMethod,
  type FileRegistry,
  fromBinary,
  getOption,
} from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import type { FieldRules } from '@tollgate/proto/api';
import { DESCRIPTORS } from '@tollgate/proto/descriptor';

const RULES = 'tollgate.api.v1.field';

let registry: FileRegistry | undefined;
let extension: DescExtension | undefined;
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

/** What a field may hold, and how it is written as JSON. */
export function rulesOf(field: DescField): FieldRules {
  let known = rules.get(field);
  if (known === undefined) {
    known = readRules(field);
    rules.set(field, known);
  }
  return known;
}

function readRules(field: DescField): FieldRules {
  extension ??= descriptors().getExtension(RULES);
  if (extension === undefined) throw new Error(`there is no option ${RULES}`);
  // Both libraries have the same form of a message.
  return getOption(field, extension) as unknown as FieldRules;
}

/** The one field of a message that only wraps a list or a map, which cannot be optional by themselves. */
export function wrappedField(message: DescMessage): DescField | undefined {
  const [only, ...others] = message.fields;
  return only !== undefined && others.length === 0 && (only.fieldKind === 'list' || only.fieldKind === 'map')
    ? only
    : undefined;
}
