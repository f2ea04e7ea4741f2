import { MetadataManager, ModuleFinder, ModuleImportDeclarator, isEsmProject } from '@nestjs/schematics';
import type { Path, SchematicContext, Tree } from '../devkit.js';
import type { AgentNames } from './agent-names.js';
import { declareFeature } from './feature.declarator.js';
import { hasAgents } from './project.js';

/** An agent and the place it is generated in. */
export interface GeneratedAgent {
  names: AgentNames;
  /** Directory of the agent's file. */
  path: Path;
  /** Where to look for agents of the same application. */
  sourceRoot: string;
}

/**
 * Adds an agent to the `providers` and to the `A2AModule.forFeature([...])` of the nearest module, if there is one.
 *
 * @throws Error when that module's metadata has no array literals to add to
 */
export function registerAgent(tree: Tree, context: SchematicContext, agent: GeneratedAgent): void {
  const { file, className } = agent.names;
  const module = new ModuleFinder(tree).find({ name: file, path: agent.path });
  if (!module) {
    context.logger.warn(
      `No module was found above ${agent.path}: add ${className} to the providers and to the ` +
        'A2AModule.forFeature([...]) of a module yourself.',
    );
    return;
  }
  const content = tree.readText(module);
  if (new RegExp(`\\b${className}\\b`).test(content)) {
    context.logger.warn(`${module} names ${className} already and was left as it is.`);
    return;
  }
  const imported = new ModuleImportDeclarator().declare(content, {
    metadata: 'providers',
    type: 'agent',
    name: file,
    path: agent.path,
    module,
    symbol: className,
    isEsm: isEsmProject(tree),
  });
  const provided = new MetadataManager(imported).insert('providers', className);
  const featured =
    provided && provided !== imported ? declareFeature(provided, entryOf(tree, agent)) : undefined;
  if (featured === undefined) {
    throw new Error(
      `${module} cannot be edited: its @Module() must hold "providers" and "imports" as array literals. ` +
        `Run the command with --skip-import, then add ${className} to the providers and to the ` +
        'A2AModule.forFeature([...]) yourself.',
    );
  }
  tree.overwrite(module, featured);
}

/** The first agent of an application keeps the default path; each other one needs a path of its own. */
function entryOf(tree: Tree, { names, sourceRoot }: GeneratedAgent): string {
  return hasAgents(tree.getDir(sourceRoot))
    ? `{ agent: ${names.className}, path: '${names.file}' }`
    : names.className;
}
