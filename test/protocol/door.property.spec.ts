import { create, fromJson, toJson, type DescMessage } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from '../../lib/protocol/door.js';
import { InvalidParamsError } from '../../lib/protocol/errors.js';
import { ENUMS, FIELDS, type Field } from '../../lib/protocol/gen/lf/a2a/v1/a2a_model.js';
import * as pb from '../../lib/protocol/gen/lf/a2a/v1/a2a_pb.js';
import type { A2AModel, JsonValue } from '../../lib/protocol/model.js';

const TYPES = Object.keys(FIELDS) as (keyof A2AModel)[];
const SCHEMAS = pb as unknown as Record<string, DescMessage>;

/** What Protocol Buffers itself makes of a message. */
function normalForm(type: keyof A2AModel, json: JsonValue): JsonValue {
  const schema = SCHEMAS[`${type}Schema`]!;
  return toJson(schema, fromJson(schema, json, { ignoreUnknownFields: true }));
}

/** Messages that obey the model: every REQUIRED member, some others, one member of a oneof. */
const text = fc.string({ minLength: 1, maxLength: 8 });
const jsonObject = fc.dictionary(fc.string({ maxLength: 6 }), fc.jsonValue({ maxDepth: 3 }));
const milliseconds = fc
  .date({ min: new Date('0001-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59Z'), noInvalidDate: true })
  .map((date) => date.toISOString());

function single(field: Field): fc.Arbitrary<unknown> {
  switch (field.kind) {
    case 'string':
      return field.required || field.label ? text : fc.string({ maxLength: 8 });
    case 'bool':
      return fc.boolean();
    case 'int32':
      return fc.oneof(fc.integer(), fc.integer().map(String), fc.constant(0));
    case 'bytes':
      return fc.uint8Array({ maxLength: 8 }).chain((bytes) => {
        const buffer = Buffer.from(bytes);
        return fc.constantFrom(buffer.toString('base64'), buffer.toString('base64url'));
      });
    case 'struct':
      return jsonObject;
    case 'value':
      return fc.jsonValue({ maxDepth: 3 });
    case 'timestamp':
      return milliseconds;
    case 'enum': {
      const names = ENUMS[field.type!]!;
      const numbers = names.map((_, i) => i);
      return fc.constantFrom(
        ...names.slice(field.required ? 1 : 0),
        ...numbers.slice(field.required ? 1 : 0),
      );
    }
    case 'message':
      return valid(field.type as keyof A2AModel);
  }
}

function value(field: Field): fc.Arbitrary<unknown> {
  if (field.label === 'list')
    return fc.array(single(field), { minLength: field.required ? 1 : 0, maxLength: 3 });
  if (field.label === 'map') {
    return fc.dictionary(text, single(field), { minKeys: field.required ? 1 : 0, maxKeys: 3 });
  }
  return single(field);
}

const arbitraries = new Map<keyof A2AModel, fc.Arbitrary<Record<string, JsonValue>>>();

function valid(type: keyof A2AModel): fc.Arbitrary<Record<string, JsonValue>> {
  const known = arbitraries.get(type);
  if (known) return known;
  const fields = FIELDS[type].filter((field) => !field.oneof);
  const choices = FIELDS[type].filter((field) => field.oneof);
  const name = (field: Field) => fc.constantFrom(field.name, field.proto);
  const entry = (field: Field) => fc.tuple(name(field), value(field));
  const optional = (field: Field) => (field.required ? entry(field) : fc.option(entry(field)));
  const entries = fc.tuple(
    ...fields.map(optional),
    choices.length > 0 ? fc.oneof(...choices.map(entry)) : fc.constant(null),
  );
  const made = entries.map((all) => Object.fromEntries(all.filter((one) => one !== null)));
  arbitraries.set(type, made as fc.Arbitrary<Record<string, JsonValue>>);
  return made as fc.Arbitrary<Record<string, JsonValue>>;
}

describe.each(TYPES)('the door for %s', (type) => {
  it('gives the normal form of Protocol Buffers for what is valid', () => {
    fc.assert(
      fc.property(valid(type), (json) => {
        const expected = normalForm(type, json);
        // What the model calls REQUIRED stays when it is empty, which ProtoJSON leaves out.
        if (type === 'ListTasksResponse') {
          Object.assign(expected as object, { pageSize: 0, totalSize: 0, ...(expected as object) });
        }
        expect(withMilliseconds(parse(type, json))).toEqual(withMilliseconds(expected));
      }),
      { numRuns: 60 },
    );
  });

  it('leaves its own answer as it is', () => {
    fc.assert(
      fc.property(valid(type), (json) => {
        const once = parse(type, json);
        expect(JSON.stringify(parse(type, JSON.parse(JSON.stringify(once))))).toBe(JSON.stringify(once));
      }),
      { numRuns: 30 },
    );
  });
});

/** ProtoJSON may drop `.000`; the door never does. */
function withMilliseconds(json: unknown): unknown {
  return JSON.parse(JSON.stringify(json), (key, member) =>
    /timestamp/i.test(key) && typeof member === 'string' ? member.replace(/:(\d\d)Z$/, ':$1.000Z') : member,
  );
}

describe('the door for anything', () => {
  const keys = [...new Set(Object.values(FIELDS).flatMap((fields) => fields.map((field) => field.name)))];
  const key = fc.oneof(
    fc.constantFrom(...keys),
    fc.constantFrom('__proto__', 'constructor', 'toJSON'),
    fc.string(),
  );
  const leaf = fc.oneof(
    fc.constantFrom(
      null,
      true,
      0,
      -1,
      1.5,
      '',
      'x',
      'QQ==',
      'ROLE_USER',
      'TASK_STATE_WORKING',
      '2025-01-01T00:00:00Z',
    ),
    fc.double(),
    fc.string(),
  );
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof({ depthSize: 'medium' }, leaf, fc.array(tie('tree'), { maxLength: 4 }), tie('object')),
    object: fc.array(fc.tuple(key, tie('tree')), { maxLength: 6 }).map(Object.fromEntries),
  }));

  it('throws nothing but InvalidParamsError, and lets through only what Protocol Buffers takes', () => {
    let refused = 0;
    let accepted = 0;
    fc.assert(
      fc.property(fc.constantFrom(...TYPES), tree, (type, json) => {
        let parsed: unknown;
        try {
          parsed = parse(type, json);
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidParamsError);
          expect((error as InvalidParamsError).violations.length).toBeGreaterThan(0);
          refused += 1;
          return;
        }
        accepted += 1;
        expect(() => normalForm(type, parsed as JsonValue)).not.toThrow();
      }),
      { numRuns: 4000 },
    );
    expect(refused).toBeGreaterThan(500);
    expect(accepted).toBeGreaterThan(50);
  });

  it('changes nothing in data', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (data) => {
        const sent = JSON.stringify({ data });
        expect(JSON.stringify(parse('Part', JSON.parse(sent)))).toBe(sent);
      }),
      { numRuns: 1000 },
    );
  });

  it('has a schema for every message', () => {
    for (const type of TYPES) expect(create(SCHEMAS[`${type}Schema`]!).$typeName).toBe(`lf.a2a.v1.${type}`);
  });
});
