import { posix } from 'node:path';
import {
  NameParser,
  formatFiles,
  isEsmProject,
  mergeSourceRoot,
  normalizeToKebabOrSnakeCase,
} from '@nestjs/schematics';
import type { Path, Rule } from '../devkit.js';
import type { A2AExecutorOptions } from './a2a-executor.schema.js';
import { agentNames } from './agent-names.js';
import { executorTemplate } from './executor.template.js';
import { isFastifyProject } from './project.js';
import { registerAgent } from './register-agent.js';
import { specTemplate } from './spec.template.js';

/**
 * The schematic behind `nest g a2a-executor <name>`: writes an agent and its spec and adds the agent to the
 * nearest module. It needs no devkit at run time, only the tree it is handed, so a project may hold any
 * version of the devkit at any place.
 *
 * @throws Error when the name suits no class, when the files exist already or when the nearest module cannot
 * be edited; nothing is written then
 */
export function main(options: A2AExecutorOptions): Rule {
  if (options.language !== undefined && options.language !== 'ts') {
    throw new Error(
      `nest-a2a writes TypeScript only, and the language of this project is "${options.language}".`,
    );
  }
  const parsed = new NameParser().parse(options);
  const names = agentNames(normalizeToKebabOrSnakeCase(parsed.name));
  const parent = normalizeToKebabOrSnakeCase(parsed.path);
  const path = (options.flat ? parent : posix.join(parent, names.file)) as Path;
  const specSuffix = normalizeToKebabOrSnakeCase(options.specFileSuffix || 'spec');

  return (tree, context) => {
    const location = { sourceRoot: options.sourceRoot, path };
    mergeSourceRoot(location)(tree, context);

    const base = `${location.path}/${names.file}.agent`;
    tree.create(`${base}.ts`, executorTemplate(names));
    if (options.spec ?? true) {
      const project = { isEsm: isEsmProject(tree), isFastify: isFastifyProject(tree) };
      tree.create(`${base}.${specSuffix}.ts`, specTemplate(names, project));
    }
    if (!options.skipImport) {
      registerAgent(tree, context, { names, path: location.path, sourceRoot: options.sourceRoot ?? 'src' });
    }
    return options.format ? formatFiles() : tree;
  };
}
