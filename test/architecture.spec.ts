import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, normalize, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const LIB = fileURLToPath(new URL('../lib', import.meta.url));

/** Which rooms a room may import besides itself. Type imports count: they bind as much as others. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  protocol: [],
  interfaces: ['protocol'],
  decorators: ['protocol', 'interfaces'],
  guards: ['protocol', 'interfaces', 'decorators'],
  'agent-card': ['protocol', 'interfaces', 'decorators'],
  http: ['protocol', 'interfaces'],
  transports: ['protocol', 'interfaces', 'http', 'request-handler', 'guards'],
  'request-handler': ['protocol', 'interfaces'],
  execution: ['protocol', 'interfaces'],
  events: ['protocol', 'interfaces'],
  stores: ['protocol', 'interfaces'],
  network: ['protocol', 'interfaces'],
  'push-notifications': ['protocol', 'interfaces'],
  webhooks: ['protocol', 'interfaces', 'decorators', 'http', 'network', 'push-notifications'],
  client: ['protocol', 'interfaces', 'decorators', 'agent-card'],
  typeorm: ['protocol', 'interfaces'],
  redis: ['protocol', 'interfaces'],
  bullmq: ['protocol', 'interfaces', 'execution'],
  grpc: ['protocol', 'interfaces'],
  compat: ['protocol', 'interfaces'],
  testing: ['protocol', 'interfaces'],
  cli: ['protocol', 'interfaces'],
};

/** Rooms with a subpath of their own, which an app without their peers must never load. */
const ADAPTERS = ['client', 'typeorm', 'redis', 'bullmq', 'grpc', 'compat', 'testing', 'cli'];

/** Packages that `nest-a2a` itself may import, types included. */
const PACKAGES = [
  '@bufbuild/protobuf',
  '@nestjs/common',
  '@nestjs/core',
  'ipaddr.js',
  'jose',
  'rxjs',
  'undici',
];

interface SourceFile {
  /** Relative to lib, as in `protocol/model.ts`. */
  readonly name: string;
  /** The same of the files it imports. */
  readonly files: readonly string[];
  /** The packages it imports. */
  readonly packages: readonly string[];
}

/** Exports and dynamic imports are found as well. */
function readSource(path: string): SourceFile {
  const text = readFileSync(path, 'utf8');
  const specifiers = ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => fileName);
  const local = specifiers.filter((specifier) => specifier.startsWith('.'));
  const resolve = (specifier: string) =>
    relative(LIB, normalize(join(dirname(path), specifier))).replace(/\.js$/, '.ts');
  return {
    name: relative(LIB, path),
    files: local.map(resolve),
    packages: specifiers.filter((specifier) => !specifier.startsWith('.')),
  };
}

const sources = readdirSync(LIB, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => readSource(join(LIB, name)));
const byName = new Map(sources.map((source) => [source.name, source]));

/** The root of lib is no room. */
function roomOf(name: string): string | undefined {
  return name.includes('/') ? name.split('/')[0] : undefined;
}

/** All files that a file loads, itself included. */
function reachableFrom(name: string, seen = new Set<string>()): Set<string> {
  if (seen.has(name)) return seen;
  seen.add(name);
  for (const file of byName.get(name)?.files ?? []) reachableFrom(file, seen);
  return seen;
}

/** The files of a circle, in its order; undefined when there is none. */
function findCycle(): string[] | undefined {
  const done = new Set<string>();
  const visit = (name: string, trail: readonly string[]): string[] | undefined => {
    if (trail.includes(name)) return [...trail.slice(trail.indexOf(name)), name];
    if (done.has(name)) return undefined;
    for (const file of byName.get(name)?.files ?? []) {
      const cycle = visit(file, [...trail, name]);
      if (cycle) return cycle;
    }
    done.add(name);
    return undefined;
  };
  for (const { name } of sources) {
    const cycle = visit(name, []);
    if (cycle) return cycle;
  }
  return undefined;
}

describe('the architecture', () => {
  it('has files to look at, and finds every import in them', () => {
    expect(sources.length).toBeGreaterThan(50);
    const unknown = sources.flatMap(({ name, files }) =>
      files.filter((file) => !byName.has(file)).map((file) => `${name} -> ${file}`),
    );
    expect(unknown).toEqual([]);
  });

  it('sees type imports and re-exports', () => {
    expect(byName.get('interfaces/agent-options.ts')?.files).toContain('protocol/model.ts');
    expect(byName.get('index.ts')?.files).toContain('protocol/model.ts');
  });

  it('knows every room', () => {
    const rooms = new Set(sources.map(({ name }) => roomOf(name)).filter((room) => room !== undefined));
    expect([...rooms].filter((room) => !(room in MAY_IMPORT))).toEqual([]);
  });

  it('lets rooms import what the table says only', () => {
    const refused = sources.flatMap(({ name, files }) => {
      const room = roomOf(name);
      if (room === undefined) return [];
      const allowed = [room, ...MAY_IMPORT[room]!];
      return files
        .filter((file) => !allowed.includes(roomOf(file) ?? ''))
        .map((file) => `${name} -> ${file}`);
    });
    expect(refused).toEqual([]);
  });

  it('keeps Nest out of the protocol', () => {
    const nest = sources.filter(
      ({ name, packages }) =>
        roomOf(name) === 'protocol' && packages.some((other) => other.startsWith('@nestjs/')),
    );
    expect(nest.map(({ name }) => name)).toEqual([]);
  });

  it('has no circle of imports', () => {
    expect(findCycle()).toBeUndefined();
  });

  it('imports no barrel', () => {
    const barrels = sources.flatMap(({ name, files }) =>
      files.filter((file) => /(^|\/)index\.ts$/.test(file)).map((file) => `${name} -> ${file}`),
    );
    expect(barrels).toEqual([]);
  });

  it('loads no adapter and no optional package from the root', () => {
    const loaded = [...reachableFrom('index.ts')];
    expect(loaded.filter((name) => ADAPTERS.includes(roomOf(name) ?? ''))).toEqual([]);
    const packages = loaded.flatMap((name) =>
      (byName.get(name)?.packages ?? []).map((specifier) => [name, packageOf(specifier)] as const),
    );
    const builtin = (name: string) => name.startsWith('node:') || builtinModules.includes(name);
    const foreign = packages.filter(([, name]) => !builtin(name) && !PACKAGES.includes(name));
    expect(foreign.map(([file, name]) => `${file} -> ${name}`)).toEqual([]);
  });
});

function packageOf(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}
