/** The spellings of one agent's name that the generated code needs. */
export interface AgentNames {
  /** File name without suffixes, also the skill's id: `order-desk`. */
  file: string;
  /** Class name: `OrderDeskAgent`. */
  className: string;
  /** Name of the skill's method: `orderDesk`. */
  method: string;
  /** Name for people: `Order desk`. */
  title: string;
}

/** Method names that the framework, Nest or the language would call for reasons of their own. */
const RESERVED_METHODS = new Set([
  'constructor',
  'then',
  'execute',
  'cancel',
  'onModuleInit',
  'onModuleDestroy',
  'onApplicationBootstrap',
  'onApplicationShutdown',
  'beforeApplicationShutdown',
]);

const CLASS_NAME = /^\p{L}[\p{L}\p{N}]*$/u;

/**
 * Derives the spellings of an agent's name.
 *
 * @param file the name in kebab or snake case
 * @throws Error when no class or method can bear the name
 */
export function agentNames(file: string): AgentNames {
  const words = file.split(/[-_.]+/).filter((word) => word !== '');
  const pascal = words.map(capitalize).join('');
  if (!CLASS_NAME.test(pascal)) {
    throw new Error(
      `"${file}" cannot name an agent: start with a letter and use letters, digits and dashes, ` +
        'as in "nest g a2a-executor orders".',
    );
  }
  const method = pascal.charAt(0).toLowerCase() + pascal.slice(1);
  if (RESERVED_METHODS.has(method)) {
    throw new Error(
      `"${file}" cannot name an agent: its skill would be the method "${method}", which has a meaning ` +
        'of its own. Choose another name.',
    );
  }
  return { file, className: `${pascal}Agent`, method, title: capitalize(words.join(' ')) };
}

function capitalize(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
