import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  createFileRegistry,
  fromBinary,
  getOption,
  type DescExtension,
  type DescField,
  type DescMessage,
  type DescMethod,
  type Registry,
} from '@bufbuild/protobuf';
import { FieldDescriptorProto_Type, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { beforeAll, describe, expect, it } from 'vitest';
import { OPERATIONS, type OperationName } from '../../lib/protocol/operations.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const wire = JSON.parse(readFileSync(new URL('a2a-v1-wire.json', import.meta.url), 'utf8'));

/** The proto files as the compiler sees them, options included. */
function loadRegistry(): Registry {
  const image = buf('build', '--as-file-descriptor-set', '-o', '-#format=binpb');
  return createFileRegistry(fromBinary(FileDescriptorSetSchema, image));
}

function buf(...args: string[]): Buffer {
  return execFileSync(join(ROOT, 'node_modules/.bin/buf'), args, { cwd: ROOT });
}

describe('the proto file', () => {
  let registry: Registry;
  let messages: DescMessage[];
  const extension = (name: string) => registry.getExtension(`google.api.${name}`) as DescExtension;

  beforeAll(() => {
    registry = loadRegistry();
    const file = [...registry].find((desc) => desc.kind === 'message' && desc.file.name === 'lf/a2a/v1/a2a');
    messages = file?.kind === 'message' ? file.file.messages : [];
  });

  it('is package lf.a2a.v1', () => {
    expect(messages.map((message) => message.file.proto.package)).toContain(wire.package);
  });

  it('has the messages and fields of the wire format', () => {
    const actual = Object.fromEntries(messages.map((desc) => [desc.name, desc.fields.map(describeField)]));
    expect(actual).toEqual(wire.messages);
  });

  it('has the enums of the wire format', () => {
    const enums = [...registry].filter((desc) => desc.kind === 'enum' && desc.file.name.startsWith('lf/'));
    const actual = enums.map((desc) =>
      desc.kind === 'enum' ? [desc.name, Object.fromEntries(desc.values.map((v) => [v.name, v.number]))] : [],
    );
    expect(Object.fromEntries(actual)).toEqual(wire.enums);
  });

  it('has the service of the wire format, HTTP rules included', () => {
    const actual = Object.fromEntries(methods().map((method) => [method.name, describeMethod(method)]));
    expect(actual).toEqual(wire.service);
  });

  it('is what the operations table says', () => {
    const actual = Object.fromEntries(methods().map((method) => [method.name, asOperation(method)]));
    const { SubscribeToTask } = OPERATIONS;
    const asInProto = { ...SubscribeToTask, http: { ...SubscribeToTask.http, verbs: ['GET'] } };
    expect({ ...OPERATIONS, SubscribeToTask: asInProto }).toEqual(actual);
    expect(SubscribeToTask.http.verbs).toEqual(['GET', 'POST']);
  });

  it('is what the generated files were made from', () => {
    const out = mkdtempSync(join(tmpdir(), 'a2a-generate-'));
    try {
      buf('generate', '-o', out);
      for (const file of ['a2a_pb.ts', 'a2a_model.ts']) {
        const path = join('lib/protocol/gen/lf/a2a/v1', file);
        expect(readFileSync(join(out, path), 'utf8')).toBe(readFileSync(join(ROOT, path), 'utf8'));
      }
    } finally {
      rmSync(out, { recursive: true });
    }
  });

  function methods(): readonly DescMethod[] {
    return registry.getService('lf.a2a.v1.A2AService')?.methods ?? [];
  }

  function describeField(field: DescField) {
    const behavior = getOption(field, extension('field_behavior')) as number[];
    return {
      name: field.name,
      number: field.number,
      type: describeType(field),
      json: field.jsonName,
      ...(field.oneof && { oneof: field.oneof.name }),
      ...(behavior.includes(2) && { required: true }),
      ...(field.proto.proto3Optional && { optional: true }),
      ...(field.deprecated && { deprecated: true }),
    };
  }

  function describeType(field: DescField): string {
    const item =
      typeName(field.enum ?? field.message) ?? FieldDescriptorProto_Type[scalarOf(field)]!.toLowerCase();
    if (field.fieldKind === 'map')
      return `map<${FieldDescriptorProto_Type[field.mapKey]!.toLowerCase()},${item}>`;
    return field.fieldKind === 'list' ? `repeated ${item}` : item;
  }

  function scalarOf(field: DescField): number {
    return field.scalar as number;
  }

  function typeName(desc: { typeName: string } | undefined): string | undefined {
    return desc?.typeName.replace('lf.a2a.v1.', '');
  }

  interface Rule {
    pattern: { case: string; value: string };
    body: string;
    additionalBindings: Rule[];
  }

  function rulesOf(method: DescMethod) {
    const rule = getOption(method, extension('http')) as unknown as Rule;
    return [rule, ...rule.additionalBindings].map(({ pattern, body }) => ({
      verb: pattern.case,
      path: pattern.value,
      ...(body && { body }),
    }));
  }

  function describeMethod(method: DescMethod) {
    return {
      request: typeName(method.input),
      response: typeName(method.output),
      stream: method.methodKind === 'server_streaming',
      http: rulesOf(method),
    };
  }

  function asOperation(method: DescMethod) {
    const [rule, withTenant] = rulesOf(method);
    expect(withTenant).toEqual({ ...rule, path: `/{tenant}${rule!.path}` });
    return {
      request: typeName(method.input),
      response: typeName(method.output)?.replace('google.protobuf.', ''),
      streaming: method.methodKind === 'server_streaming',
      http: {
        verbs: [rule!.verb.toUpperCase()],
        path: rule!.path.replace('{task_id=*}', '{taskId}').replace('{id=*}', '{id}'),
        body: rule!.body === '*',
      },
    };
  }
});

it('has eleven operations', () => {
  const names: OperationName[] = Object.keys(OPERATIONS) as OperationName[];
  expect(names).toHaveLength(11);
});
