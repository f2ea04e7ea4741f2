import type { FieldViolation } from './error-details.js';
import { InvalidParamsError } from './errors.js';
import { ENUMS, FIELDS, type Field } from './gen/lf/a2a/v1/a2a_model.js';
import { isObject } from './is-object.js';
import type { A2AModel } from './model.js';
import { readBase64, readInt32, readTimestamp } from './scalars.js';

/** How deep JSON may be nested unless told otherwise; far from what would exhaust the stack of JSON.stringify. */
export const DEFAULT_MAX_DEPTH = 64;

/** Nobody mends more at a time, and the answer to a hostile body stays small. */
const MAX_VIOLATIONS = 32;

/**
 * REQUIRED members that an agent may well have nothing to put into. ProtoJSON leaves an empty one out, so here absent
 * is the same as empty, and both come out empty. Everywhere else REQUIRED means at least one element (spec §5.7).
 */
const MAY_BE_EMPTY: Readonly<Partial<Record<keyof A2AModel, readonly string[]>>> = {
  AgentCard: ['defaultInputModes', 'defaultOutputModes', 'skills'],
  AgentSkill: ['tags'],
  AuthorizationCodeOAuthFlow: ['scopes'],
  ClientCredentialsOAuthFlow: ['scopes'],
  DeviceCodeOAuthFlow: ['scopes'],
  ListTasksResponse: ['tasks', 'nextPageToken', 'pageSize', 'totalSize'],
};

/** Oneofs that a later version may extend: a card with a scheme of an unknown kind is still a good card. */
const MAY_BE_UNKNOWN: ReadonlySet<string> = new Set<keyof A2AModel>(['SecurityScheme', 'OAuthFlows']);

/** Names of the members of a message's oneof. */
const ONEOFS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(FIELDS)
    .map(
      ([type, fields]) => [type, fields.filter((field) => field.oneof).map((field) => field.name)] as const,
    )
    .filter(([, names]) => names.length > 0),
);

type Dictionary = Record<string, unknown>;

/**
 * The one door through which JSON comes in: checks it against the data model and gives it back in its normal form,
 * which is what `fromJson` followed by `toJson` of Protocol Buffers gives. In particular
 *
 * - members that the model does not know are left out, `snake_case` names are turned into the JSON names, `null` is
 *   the same as absent (except for `data`, where it is a value);
 * - members that hold their default (`''`, `false`, `0`, `[]`) are left out, unless the proto file marks them
 *   `optional` or REQUIRED, or they are part of a oneof: `historyLength: 0` and `{ text: '' }` stay;
 * - enum numbers become names, base64 becomes standard and padded, timestamps become UTC;
 * - what is in `data` and `metadata` is kept as it is, not copied. Numbers there are doubles, as in all of JSON in
 *   JavaScript: 2^53+1 arrives as 2^53, so send such a number as a string. What JSON cannot carry (NaN, and
 *   1e400, which reads as Infinity) is refused.
 *
 * @param type name of the message.
 * @param root what the paths of violations start with.
 * @param maxDepth how deep objects and arrays may be nested.
 * @throws InvalidParamsError with every violation found, 32 at most, and nothing else.
 * @example const request = parse('SendMessageRequest', params);
 */
export function parse<K extends keyof A2AModel>(
  type: K,
  json: unknown,
  root = '',
  maxDepth = DEFAULT_MAX_DEPTH,
): A2AModel[K] {
  const door = new Door(root, maxDepth);
  const value = door.readMessage(type, json, 1);
  if (door.violations.length > 0) throw new InvalidParamsError(door.violations);
  return value as A2AModel[K];
}

/** One walk over one value. A reader gives undefined for what it refused, after saying so. */
class Door {
  readonly violations: FieldViolation[] = [];
  /** The way to what is read: names of members, indexes of lists, keys of maps. It becomes text when something is refused. */
  readonly #way: (string | number)[] = [];

  constructor(
    private readonly root: string,
    private readonly maxDepth: number,
  ) {}

  readMessage(type: keyof A2AModel, json: unknown, depth: number): Dictionary | undefined {
    if (!isObject(json)) return this.refuse('must be an object');
    if (depth > this.maxDepth) return this.refuseDepth();
    const result: Dictionary = {};
    let chosen = 0;
    for (const field of FIELDS[type]) {
      const member = this.pick(json, field);
      if (member === undefined || (member === null && field.kind !== 'value')) {
        if (field.required) this.fillIn(result, type, field);
        continue;
      }
      if (field.oneof) chosen += 1;
      this.#way.push(field.name);
      const value = this.readField(field, member, depth + 1);
      this.#way.pop();
      if (value === undefined) continue;
      if (field.presence || !isDefault(value, field)) result[field.name] = value;
      else if (field.required) this.fillIn(result, type, field);
    }
    if (chosen !== 1) this.checkOneof(type, chosen);
    return result;
  }

  /** Finds a member by its JSON name or its name in the proto file. */
  private pick(json: Dictionary, field: Field): unknown {
    const value = json[field.name];
    if (field.proto === field.name) return value;
    const other = json[field.proto];
    if (other === undefined) return value;
    if (value === undefined) return other;
    this.refuse(`is given twice, as ${field.name} and as ${field.proto}`, field.name);
    return value;
  }

  /** A REQUIRED member is absent or empty. */
  private fillIn(result: Dictionary, type: keyof A2AModel, field: Field): void {
    if (MAY_BE_EMPTY[type]?.includes(field.name)) result[field.name] = emptyOf(field);
    else this.refuse(field.label ? 'must have at least one element' : 'is required', field.name);
  }

  private checkOneof(type: keyof A2AModel, chosen: number): void {
    const names = ONEOFS.get(type);
    if (!names || (chosen === 0 && MAY_BE_UNKNOWN.has(type))) return;
    this.refuse(`must have exactly one of ${names.join(', ')}`);
  }

  private readField(field: Field, json: unknown, depth: number): unknown {
    if (field.label === 'list') return this.readList(field, json, depth);
    if (field.label === 'map') return this.readMap(field, json, depth);
    return this.readValue(field, json, depth);
  }

  private readList(field: Field, json: unknown, depth: number): unknown[] | undefined {
    if (!Array.isArray(json)) return this.refuse('must be an array');
    const items: unknown[] = [];
    for (let i = 0; i < json.length && !this.isFull; i++) {
      this.#way.push(i);
      items.push(this.readValue(field, json[i], depth + 1));
      this.#way.pop();
    }
    return items;
  }

  private readMap(field: Field, json: unknown, depth: number): Dictionary | undefined {
    if (!isObject(json)) return this.refuse('must be an object');
    const entries: [string, unknown][] = [];
    for (const key of Object.keys(json)) {
      if (this.isFull) break;
      this.#way.push(`[${JSON.stringify(key)}]`);
      entries.push([key, this.readValue(field, json[key], depth + 1)]);
      this.#way.pop();
    }
    // Unlike assignment, this makes `__proto__` a key like any other.
    return Object.fromEntries(entries);
  }

  private readValue(field: Field, json: unknown, depth: number): unknown {
    switch (field.kind) {
      case 'string':
        return typeof json === 'string' ? json : this.refuse('must be a string');
      case 'bool':
        return typeof json === 'boolean' ? json : this.refuse('must be true or false');
      case 'int32':
        return readInt32(json) ?? this.refuse('must be a whole number of 32 bits');
      case 'bytes':
        return this.readText(json, readBase64) ?? this.refuse('must be a base64 string');
      case 'timestamp':
        return (
          this.readText(json, readTimestamp) ??
          this.refuse('must be a timestamp such as 2025-10-28T10:30:00.000Z')
        );
      case 'enum':
        return this.readEnum(field, json);
      case 'struct':
        return isObject(json) ? this.checkJson(json, depth) : this.refuse('must be an object');
      case 'value':
        return this.checkJson(json, depth);
      case 'message':
        return this.readMessage(field.type as keyof A2AModel, json, depth);
    }
  }

  private readText(json: unknown, read: (text: string) => string | undefined): string | undefined {
    return typeof json === 'string' ? read(json) : undefined;
  }

  /** The name of a value. UNSPECIFIED means "not set" and becomes the empty string, which no member keeps. */
  private readEnum(field: Field, json: unknown): string | undefined {
    const [unspecified, ...names] = ENUMS[field.type as string] as readonly string[];
    if (typeof json === 'string' && names.includes(json)) return json;
    if (typeof json === 'number' && Number.isInteger(json) && names[json - 1]) return names[json - 1];
    if (!field.required && (json === unspecified || json === 0)) return '';
    return this.refuse(`must be one of ${names.join(', ')}`);
  }

  /** Lets a JSON value through as it is, unless JSON could not carry it on. */
  private checkJson<T>(json: T, depth: number): T | undefined {
    const flaw = findFlaw(json, this.maxDepth - depth + 1);
    if (flaw === 'depth') return this.refuseDepth();
    if (flaw === 'number') return this.refuse('must not hold a number beyond the range of a double');
    return flaw ? this.refuse('must hold nothing but JSON values') : json;
  }

  private get isFull(): boolean {
    return this.violations.length >= MAX_VIOLATIONS;
  }

  /** @param member of the message that is read, where that is what is wrong. */
  private refuse(description: string, member = ''): undefined {
    if (this.isFull) return;
    const way = member === '' ? this.#way : [...this.#way, member];
    this.violations.push({ field: way.reduce<string>(join, this.root), description });
  }

  private refuseDepth(): undefined {
    return this.refuse(`must not be nested deeper than ${this.maxDepth} levels in all`);
  }
}

function join(path: string, step: string | number): string {
  if (typeof step === 'number') return `${path}[${step}]`;
  return path === '' || step.startsWith('[') ? path + step : `${path}.${step}`;
}

/** Whether ProtoJSON leaves the value out, for a field that cannot tell its default from "not set". */
function isDefault(value: unknown, field: Field): boolean {
  if (field.label === 'list') return (value as unknown[]).length === 0;
  if (field.label === 'map') return Object.keys(value as object).length === 0;
  return value === '' || value === 0 || value === false;
}

function emptyOf(field: Field): unknown {
  if (field.label) return field.label === 'list' ? [] : {};
  return field.kind === 'int32' ? 0 : '';
}

/** What keeps a value from being JSON of at most so many levels. */
function findFlaw(json: unknown, levels: number): 'depth' | 'number' | 'type' | undefined {
  if (typeof json === 'string' || typeof json === 'boolean' || json === null) return undefined;
  if (typeof json === 'number') return Number.isFinite(json) ? undefined : 'number';
  if (typeof json !== 'object') return 'type';
  if (levels <= 0) return 'depth';
  const members = Array.isArray(json) ? json : Object.values(json);
  for (const member of members) {
    // An undefined member of an object is one that JSON.stringify leaves out.
    if (member === undefined && !Array.isArray(json)) continue;
    const flaw = findFlaw(member, levels - 1);
    if (flaw) return flaw;
  }
  return undefined;
}
