import type { Location, mergeSourceRoot } from '@nestjs/schematics';

// The devkit's types as @nestjs/schematics sees them. It pins a devkit of its own, which need not be the one that
// an import from here would find, and the types of two versions do not mix.

/** A step of a schematic. */
export type Rule = ReturnType<typeof mergeSourceRoot>;

/** The project's files, with the changes staged so far. */
export type Tree = Parameters<Rule>[0];

/** What a running schematic knows of its surroundings, the logger among it. */
export type SchematicContext = Parameters<Rule>[1];

/** A directory of a tree. */
export type DirEntry = Tree['root'];

/** A normalised path inside a tree. */
export type Path = Location['path'];
