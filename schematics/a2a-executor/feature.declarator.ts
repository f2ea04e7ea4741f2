import { MetadataManager } from '@nestjs/schematics';
import ts from 'typescript';

const PACKAGE = 'nest-a2a';
const MODULE = 'A2AModule';

/**
 * Adds an agent to the `A2AModule.forFeature([...])` of a module's source text: to the array of the first
 * such call, or else as a new entry of the module's `imports`, with the import statement it needs.
 *
 * @param content the source text of the module
 * @param entry the expression to add, as in `OrdersAgent`
 * @returns the new source text, or undefined when the module's `imports` is not an array literal
 */
export function declareFeature(content: string, entry: string): string | undefined {
  const source = ts.createSourceFile('module.ts', content, ts.ScriptTarget.Latest, true);
  const localName = findLocalName(source);
  const agents = localName && findAgents(source, localName);
  if (agents) {
    return insertElement(content, agents, entry);
  }
  const imported = localName ? content : importModule(content, source);
  const declared = new MetadataManager(imported).insert(
    'imports',
    `${localName ?? MODULE}.forFeature([${entry}])`,
  );
  return declared === imported ? undefined : declared;
}

/** The name under which the file imported A2AModule, which may be an alias. */
function findLocalName(source: ts.SourceFile): string | undefined {
  return packageImports(source)
    .flatMap((bindings) => [...bindings.elements])
    .find((element) => (element.propertyName ?? element.name).text === MODULE && !element.isTypeOnly)?.name
    .text;
}

function packageImports(source: ts.SourceFile): ts.NamedImports[] {
  return source.statements
    .filter((statement) => ts.isImportDeclaration(statement))
    .filter(({ moduleSpecifier }) => ts.isStringLiteral(moduleSpecifier) && moduleSpecifier.text === PACKAGE)
    .filter(({ importClause }) => importClause?.phaseModifier !== ts.SyntaxKind.TypeKeyword)
    .map(({ importClause }) => importClause?.namedBindings)
    .filter((bindings) => bindings !== undefined && ts.isNamedImports(bindings));
}

/** The array given to the first `A2AModule.forFeature([...])`. */
function findAgents(node: ts.Node, localName: string): ts.ArrayLiteralExpression | undefined {
  if (ts.isCallExpression(node) && isForFeature(node.expression, localName)) {
    const [agents] = node.arguments;
    return agents && ts.isArrayLiteralExpression(agents) ? agents : undefined;
  }
  return ts.forEachChild(node, (child) => findAgents(child, localName));
}

function isForFeature(callee: ts.Expression, localName: string): boolean {
  return (
    ts.isPropertyAccessExpression(callee) &&
    callee.name.text === 'forFeature' &&
    callee.expression.getText() === localName
  );
}

/** Keeps the layout of the array: one element a line, or all on one line. */
function insertElement(content: string, array: ts.ArrayLiteralExpression, entry: string): string {
  const last = array.elements.at(-1);
  if (!last) {
    return splice(content, array.getStart() + 1, entry);
  }
  const lineBreak = /^\s*\n\s*/.exec(last.getFullText())?.[0];
  return splice(content, last.getEnd(), `,${lineBreak ?? ' '}${entry}`);
}

/** Imports A2AModule: in the statement that imports from this package already, or below the last package's. */
function importModule(content: string, source: ts.SourceFile): string {
  const last = packageImports(source)[0]?.elements.at(-1);
  if (last) {
    return splice(content, last.getEnd(), `, ${MODULE}`);
  }
  const statement = `import { ${MODULE} } from '${PACKAGE}';`;
  const neighbour = source.statements.findLast(
    (candidate) =>
      ts.isImportDeclaration(candidate) &&
      ts.isStringLiteral(candidate.moduleSpecifier) &&
      !candidate.moduleSpecifier.text.startsWith('.'),
  );
  return neighbour
    ? splice(content, neighbour.getEnd(), `\n${statement}`)
    : splice(content, source.statements[0]?.getStart() ?? 0, `${statement}\n`);
}

function splice(content: string, position: number, insertion: string): string {
  return content.slice(0, position) + insertion + content.slice(position);
}
