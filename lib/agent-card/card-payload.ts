import { FIELDS, type Field } from '../protocol/gen/lf/a2a/v1/a2a_model.js';
import { isObject } from '../protocol/is-object.js';
import type { A2AModel, AgentCard } from '../protocol/model.js';
import { canonicalJson } from './canonical-json.js';

/**
 * What of a card is signed (§8.4.1): everything but the signatures, without members that hold their default, unless these are REQUIRED or
 * `optional` in the proto file. It works on JSON as it came, valid or not, so that a signature can be checked before anything else.
 *
 * @param unknown whether members that the data model does not know are kept: a later version's are part of what its signer signed.
 */
export function signedPart(card: unknown, { unknown }: { readonly unknown: boolean }): Partial<AgentCard> {
  const present = presentMembers('AgentCard', card, unknown);
  const { signatures: _, ...rest } = (isObject(present) ? present : {}) as Partial<AgentCard>;
  return rest;
}

/** The text that is signed. Throws TypeError for what has no canonical form. */
export function cardPayload(card: unknown): string {
  return canonicalJson(signedPart(card, { unknown: true }));
}

/**
 * The text that the official SDKs sign: all that is empty is left out, REQUIRED or not. The same as {@link cardPayload} for a card without
 * empty members. It says less: who can change the card can change where the empty ones were, such as a scheme without scopes.
 */
export function sdkCardPayload(card: unknown): string {
  return canonicalJson(withoutEmpty(signedPart(card, { unknown: false })) ?? {});
}

function presentMembers(type: keyof A2AModel, json: unknown, keepUnknown: boolean): unknown {
  if (!isObject(json)) return json;
  const fields = FIELDS[type];
  const members: [string, unknown][] = [];
  for (const [name, value] of Object.entries(json)) {
    const field = fields.find((known) => known.name === name || known.proto === name);
    if (!field) {
      if (keepUnknown && value !== undefined) members.push([name, value]);
      continue;
    }
    const present = presentValue(field, value, keepUnknown);
    if (present !== undefined) members.push([field.name, present]);
  }
  return Object.fromEntries(members);
}

function presentValue(field: Field, value: unknown, keepUnknown: boolean): unknown {
  if (value === undefined || (value === null && field.kind !== 'value')) return undefined;
  const read = (item: unknown) =>
    field.kind === 'message' ? presentMembers(field.type as keyof A2AModel, item, keepUnknown) : item;
  const kept = field.required || field.presence;
  if (field.label === 'list' && Array.isArray(value)) {
    return value.length > 0 || kept ? value.map(read) : undefined;
  }
  if (field.label === 'map' && isObject(value)) {
    const entries = Object.entries(value).map(([key, item]) => [key, read(item)] as const);
    return entries.length > 0 || kept ? Object.fromEntries(entries) : undefined;
  }
  return kept || (value !== '' && value !== 0 && value !== false) ? read(value) : undefined;
}

function withoutEmpty(value: unknown): unknown {
  if (value === '' || value === null) return undefined;
  if (Array.isArray(value)) {
    const items = value.map(withoutEmpty).filter((item) => item !== undefined);
    return items.length > 0 ? items : undefined;
  }
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([name, member]) => [name, withoutEmpty(member)] as const);
  const full = members.filter(([, member]) => member !== undefined);
  return full.length > 0 ? Object.fromEntries(full) : undefined;
}
