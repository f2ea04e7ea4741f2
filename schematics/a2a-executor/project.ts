import type { DirEntry, Tree } from '../devkit.js';

/** Whether the project depends on Fastify's adapter only. */
export function isFastifyProject(tree: Tree): boolean {
  const manifest = tree.exists('package.json') ? tree.readText('package.json') : '';
  return manifest.includes('"@nestjs/platform-fastify"') && !manifest.includes('"@nestjs/platform-express"');
}

/** Whether a module under the directory registers an agent already. */
export function hasAgents(directory: DirEntry): boolean {
  const registers = directory.subfiles
    .filter((file) => file.endsWith('.module.ts'))
    .some((file) =>
      /A2AModule\s*\.\s*forFeature\(\s*\[\s*[^\]\s]/.test(directory.file(file)?.content.toString() ?? ''),
    );
  return (
    registers || directory.subdirs.some((name) => name !== 'node_modules' && hasAgents(directory.dir(name)))
  );
}
