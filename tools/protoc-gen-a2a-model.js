#!/usr/bin/env node
// A protoc plugin. For `a2a.proto` it writes `a2a_model.ts`: the exact ProtoJSON type of every message and
// enum, and the table of fields that `lib/protocol/door.ts` walks. Run by `npm run generate`.
// @ts-check
import { getOption } from '@bufbuild/protobuf';
import { createEcmaScriptPlugin, getComments, runNodeJs } from '@bufbuild/protoplugin';

/** @import { DescEnum, DescField, DescFile, DescMessage, DescOneof } from '@bufbuild/protobuf' */
/** @import { GeneratedFile, Schema } from '@bufbuild/protoplugin' */

/** FIELD_BEHAVIOR `REQUIRED` in google/api/field_behavior.proto. */
const REQUIRED = 2;
/** google.protobuf.FeatureSet.FieldPresence `EXPLICIT`: the field tells "set to its default" from "not set". */
const EXPLICIT_PRESENCE = 1;
/** @type {Record<number, string>} google.protobuf.FieldDescriptorProto.Type to kind. */
const SCALAR_KINDS = { 5: 'int32', 8: 'bool', 9: 'string', 12: 'bytes' };
/** @type {Record<string, string>} Messages whose JSON is not an object of their fields. */
const WELL_KNOWN_KINDS = {
  'google.protobuf.Struct': 'struct',
  'google.protobuf.Timestamp': 'timestamp',
  'google.protobuf.Value': 'value',
};
/** @type {Record<string, string>} */
const TYPESCRIPT = {
  bool: 'boolean',
  bytes: 'string',
  int32: 'number',
  string: 'string',
  struct: 'JsonObject',
  timestamp: 'string',
  value: 'JsonValue',
};
const PRELUDE = `/** Any JSON value. */
export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };
/** Any JSON object. */
export type JsonObject = { [key: string]: JsonValue };

/** How the door reads one field. */
export interface Field {
  /** Name in JSON. */
  readonly name: string;
  /** Name in the proto file, accepted as well. */
  readonly proto: string;
  readonly kind: 'string' | 'bool' | 'int32' | 'bytes' | 'struct' | 'value' | 'timestamp' | 'enum' | 'message';
  /** Name of the message or enum. */
  readonly type?: string;
  readonly label?: 'list' | 'map';
  readonly required?: true;
  /** The field tells "set to its default" from "not set". */
  readonly presence?: true;
  /** The group of which at most one member is set. */
  readonly oneof?: string;
}`;

/** @param {Schema} schema */
function generateTs(schema) {
  const isRequired = requiredReader(schema);
  for (const file of schema.files) {
    const f = schema.generateFile(`${file.name}_model.ts`);
    f.print(`// Written by tools/protoc-gen-a2a-model.js from ${file.proto.name}. Do not edit.`);
    f.print();
    f.print(PRELUDE);
    for (const desc of file.enums) printEnum(f, desc);
    for (const desc of file.messages) printMessage(f, desc, isRequired);
    printTables(f, file, isRequired);
  }
}

/**
 * The option is looked up in the request itself, so nothing has to be generated for google/api.
 * @param {Schema} schema
 * @returns {(field: DescField) => boolean}
 */
function requiredReader(schema) {
  const behavior = schema.allFiles
    .flatMap((file) => file.extensions)
    .find((extension) => extension.typeName === 'google.api.field_behavior');
  if (!behavior) throw new Error('google/api/field_behavior.proto is not imported');
  return (field) => /** @type {number[]} */ (getOption(field, behavior)).includes(REQUIRED);
}

/** @param {GeneratedFile} f @param {DescEnum} desc */
function printEnum(f, desc) {
  f.print();
  printComment(f, desc);
  // UNSPECIFIED is the wire's word for "not set"; in the model that is an absent member.
  f.print(`export type ${desc.name} =`);
  const values = desc.values.filter((value) => value.number !== 0);
  values.forEach((value, i) => f.print(`  | '${value.name}'${i === values.length - 1 ? ';' : ''}`));
}

/** @param {GeneratedFile} f @param {DescMessage} desc @param {(field: DescField) => boolean} isRequired */
function printMessage(f, desc, isRequired) {
  f.print();
  printComment(f, desc);
  const plain = desc.fields.filter((field) => !field.oneof);
  const [oneof] = desc.oneofs;
  if (!oneof) {
    f.print(`export interface ${desc.name} {`);
    for (const field of plain) printField(f, field, isRequired(field));
    f.print('}');
    return;
  }
  if (desc.oneofs.length > 1) throw new Error(`${desc.name}: two oneofs in one message are not supported`);
  f.print(`export type ${desc.name} = {`);
  for (const field of plain) printField(f, field, isRequired(field));
  f.print('} & (');
  for (const chosen of oneof.fields) printChoice(f, oneof, chosen);
  f.print(');');
}

/** @param {GeneratedFile} f @param {DescOneof} oneof @param {DescField} chosen */
function printChoice(f, oneof, chosen) {
  f.print('  | {');
  for (const field of oneof.fields) {
    if (field === chosen) printField(f, field, true, '      ');
    else f.print(`      ${field.jsonName}?: never;`);
  }
  f.print('    }');
}

/** @param {GeneratedFile} f @param {DescField} field @param {boolean} required @param {string} indent */
function printField(f, field, required, indent = '  ') {
  printComment(f, field, indent);
  f.print(`${indent}${field.jsonName}${required ? '' : '?'}: ${typescriptType(field)};`);
}

/** @param {GeneratedFile} f @param {DescFile} file @param {(field: DescField) => boolean} isRequired */
function printTables(f, file, isRequired) {
  f.print();
  f.print('/** Every message by its name. */');
  f.print('export interface A2AModel {');
  for (const desc of file.messages) f.print(`  ${desc.name}: ${desc.name};`);
  f.print('}');
  f.print();
  f.print('/** Names of every enum, at the index of their number. */');
  f.print('export const ENUMS: Readonly<Record<string, readonly string[]>> = {');
  for (const desc of file.enums) {
    if (desc.values.some((value, i) => value.number !== i)) throw new Error(`${desc.name} has a gap`);
    f.print(`  ${desc.name}: [${desc.values.map((value) => `'${value.name}'`).join(', ')}],`);
  }
  f.print('};');
  f.print();
  f.print('/** Fields of every message, in the order of the proto file. */');
  f.print('export const FIELDS: Readonly<Record<keyof A2AModel, readonly Field[]>> = {');
  for (const desc of file.messages) {
    f.print(`  ${desc.name}: [`);
    for (const field of desc.fields) f.print(`    ${fieldRow(field, isRequired(field))},`);
    f.print('  ],');
  }
  f.print('};');
}

/** @param {DescField} field @param {boolean} required */
function fieldRow(field, required) {
  const type = field.enum?.name ?? (kindOf(field) === 'message' ? field.message?.name : undefined);
  const isSingular = field.fieldKind !== 'list' && field.fieldKind !== 'map';
  const row = {
    name: field.jsonName,
    proto: field.name,
    kind: kindOf(field),
    ...(type && { type }),
    ...(!isSingular && { label: field.fieldKind }),
    ...(required && { required }),
    ...(isSingular && field.presence === EXPLICIT_PRESENCE && { presence: true }),
    ...(field.oneof && { oneof: field.oneof.name }),
  };
  const members = Object.entries(row).map(
    ([key, value]) => `${key}: ${value === true ? value : `'${value}'`}`,
  );
  return `{ ${members.join(', ')} }`;
}

/** @param {DescField} field */
function kindOf(field) {
  if (field.enum) return 'enum';
  if (field.message) return WELL_KNOWN_KINDS[field.message.typeName] ?? 'message';
  const kind = field.scalar && SCALAR_KINDS[field.scalar];
  if (!kind) throw new Error(`${field}: the door does not know this type`);
  return kind;
}

/** @param {DescField} field */
function typescriptType(field) {
  const item = TYPESCRIPT[kindOf(field)] ?? field.enum?.name ?? field.message?.name;
  if (field.fieldKind === 'list') return `${item}[]`;
  return field.fieldKind === 'map' ? `Record<string, ${item}>` : item;
}

/** @param {GeneratedFile} f @param {DescEnum | DescMessage | DescField} desc */
function printComment(f, desc, indent = '') {
  const lines = (getComments(desc).leading ?? '').trim().split('\n').filter(Boolean);
  if (desc.deprecated) lines.push('@deprecated');
  const texts = lines.map((line) => line.trim());
  if (texts.length === 1) f.print(`${indent}/** ${texts[0]} */`);
  else if (texts.length > 1) {
    f.print(`${indent}/**`);
    for (const text of texts) f.print(`${indent} * ${text}`);
    f.print(`${indent} */`);
  }
}

runNodeJs(createEcmaScriptPlugin({ name: 'protoc-gen-a2a-model', version: 'v1', generateTs }));
