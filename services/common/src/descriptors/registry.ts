import {
  createFileRegistry,
  type DescExtension,
  type DescField,
  type DescMessage,
  type DescMethod,
  type FileRegistry,
  fromBinary,
  getOption,
  hasOption,
} from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { DESCRIPTORS } from '@tollgate/proto/descriptor';

const RULES = 'tollgate.api.v1.field';

/** What a field may hold, and how it is written as JSON: see proto/tollgate/api/v1/annotations.proto. */
export interface FieldRules {
  format: FieldFormat | undefined;
  min: number | undefined;
  max: number | undefined;
  maxItems: number | undefined;
  nameFormat: FieldFormat | undefined;
  internal: boolean;
  required: boolean;
}

/** In the order of their numbers. */
const FORMATS = [
  'uuid',
  'plain_text',
  'tag_name',
  'tag_value',
  'time',
  'future_time',
  'money',
  'duration',
  'member_role',
  'percent',
] as const;
export type FieldFormat = (typeof FORMATS)[number];

const NO_RULES: FieldRules = {
  format: undefined,
  min: undefined,
  max: undefined,
  maxItems: undefined,
  nameFormat: undefined,
  internal: false,
  required: false,
};

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

/** The rules of a field. */
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
  if (!hasOption(field, extension)) return NO_RULES;
  const given = getOption(field, extension) as unknown as {
    format: number;
    min?: bigint;
    max?: bigint;
    maxItems?: number;
    nameFormat: number;
    internal: boolean;
    required: boolean;
  };
  return {
    format: FORMATS[given.format - 1],
    min: given.min === undefined ? undefined : Number(given.min),
    max: given.max === undefined ? undefined : Number(given.max),
    maxItems: given.maxItems,
    nameFormat: FORMATS[given.nameFormat - 1],
    internal: given.internal,
    required: given.required,
  };
}

/** The one field of a message that only wraps a list or a map, which cannot be optional by themselves. */
export function wrappedField(message: DescMessage): DescField | undefined {
  const [only, ...others] = message.fields;
  return only !== undefined && others.length === 0 && (only.fieldKind === 'list' || only.fieldKind === 'map')
    ? only
    : undefined;
}
