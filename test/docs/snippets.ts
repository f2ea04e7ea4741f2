import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import ts from 'typescript';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** A TypeScript block of a document. */
export interface Snippet {
  /** From the block's first line, `// order.agent.ts`. Blocks of one document import each other by it. */
  readonly name: string;
  readonly code: string;
}

/** The TypeScript blocks of a document, given from the root of the repository, in their order. */
export async function snippetsOf(document: string): Promise<Snippet[]> {
  const text = await readFile(`${ROOT}${document}`, 'utf8');
  return [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = ''], i) => ({
    name: /^\/\/ (\S+\.ts)\n/.exec(code)?.[1] ?? `block-${i + 1}.ts`,
    code,
  }));
}

/** Everything that the compiler says about the blocks of these documents, as it would in a project that uses the package. */
export async function typeErrors(documents: readonly string[]): Promise<string[]> {
  const files = new Map<string, string>();
  for (const document of documents)
    for (const { name, code } of await snippetsOf(document)) files.set(`${ROOT}${document}/${name}`, code);
  const { options } = ts.parseJsonConfigFileContent(
    ts.readConfigFile(`${ROOT}tsconfig.json`, ts.sys.readFile).config,
    ts.sys,
    ROOT,
  );
  const host = ts.createCompilerHost(options);
  const { fileExists, directoryExists, readFile: readText, getSourceFile } = host;
  // The blocks are files only for the compiler.
  host.fileExists = (file) => files.has(file) || fileExists(file);
  host.directoryExists = (folder) =>
    documents.some((document) => folder === ROOT + document) || (directoryExists?.(folder) ?? false);
  host.readFile = (file) => files.get(file) ?? readText(file);
  host.getSourceFile = (file, languageVersion, ...rest) => {
    const code = files.get(file);
    if (code === undefined) return getSourceFile(file, languageVersion, ...rest);
    return ts.createSourceFile(file, code, languageVersion, true);
  };
  const program = ts.createProgram([...files.keys()], options, host);
  return [...files.keys()].flatMap((file) => {
    const source = program.getSourceFile(file);
    const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
    return found.map(({ messageText, start = 0 }) => {
      const line = (source?.getLineAndCharacterOfPosition(start).line ?? 0) + 1;
      return `${file.slice(ROOT.length)}:${line} ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
    });
  });
}

/** Runs the blocks of a guide, `agents` for docs/guides/agents.md, and answers all that they export; tests read it without casts. */
export async function exportsOf(guide: string): Promise<any> {
  const folder = `${ROOT}test/docs/dist/${guide}`;
  await mkdir(folder, { recursive: true });
  const snippets = await snippetsOf(`docs/guides/${guide}.md`);
  const { config } = ts.readConfigFile(`${ROOT}tsconfig.base.json`, ts.sys.readFile);
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, ROOT);
  const files = snippets.map(({ name }) => `${folder}/${name.replace(/\.ts$/, '.js')}`);
  for (const [i, { name, code }] of snippets.entries()) {
    const compiled = ts.transpileModule(code, {
      fileName: name,
      compilerOptions: { ...options, module: ts.ModuleKind.ESNext, sourceMap: false },
    });
    await writeFile(files[i]!, compiled.outputText);
  }
  const modules = await Promise.all(files.map((file) => import(/* @vite-ignore */ pathToFileURL(file).href)));
  return Object.assign({}, ...modules);
}
