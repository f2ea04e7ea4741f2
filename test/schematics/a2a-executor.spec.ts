import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { Tree } from '@angular-devkit/schematics';
import { SchematicTestRunner, UnitTestTree } from '@angular-devkit/schematics/testing/index.js';
import { format } from 'prettier';
import ts from 'typescript';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

const APP_MODULE = `import { Module } from '@nestjs/common';
import { AppController } from './app.controller.js';
import { AppService } from './app.service.js';

@Module({
  imports: [],
  controllers: [AppController],
  providers: [AppService],
})
export class AppModule {}
`;

/** The parts of a project of `nest new` that the schematic looks at. */
function project(files: Record<string, string> = {}): Tree {
  const tree = Tree.empty();
  const all = {
    'package.json': '{ "type": "module", "dependencies": { "@nestjs/platform-express": "^12.0.0" } }',
    'nest-cli.json': '{ "collection": "nest-a2a", "sourceRoot": "src" }',
    'src/app.module.ts': APP_MODULE,
    ...files,
  };
  for (const [path, content] of Object.entries(all)) {
    tree.create(path, content);
  }
  return tree;
}

function module(imports: string, lines = ''): string {
  return `import { Module } from '@nestjs/common';
${lines}
@Module({
  imports: ${imports},
  providers: [],
})
export class AppModule {}
`;
}

/** The text that the module's decorator gives to a property, without its whitespace. */
function metadata(content: string, property: string): string | undefined {
  const source = ts.createSourceFile('module.ts', content, ts.ScriptTarget.Latest, true);
  const find = (node: ts.Node): string | undefined =>
    ts.isPropertyAssignment(node) && node.name.getText() === property
      ? node.initializer.getText().replace(/\s+/g, '')
      : ts.forEachChild(node, find);
  return find(source);
}

function syntaxErrors(content: string): string[] {
  const { diagnostics } = ts.transpileModule(content, { reportDiagnostics: true });
  return (diagnostics ?? []).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}

describe('nest g a2a-executor', () => {
  let runner: SchematicTestRunner;
  let logged: string[];

  beforeAll(() => {
    const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
    execFileSync(process.execPath, [tsc, '-p', 'tsconfig.schematics.json'], { cwd: root, stdio: 'inherit' });
  }, 60_000);

  beforeEach(() => {
    runner = new SchematicTestRunner('nest-a2a', `${root}/dist/schematics/collection.json`);
    logged = [];
    runner.logger.subscribe(({ message }) => logged.push(message));
  });

  const generate = (options: object, tree = project()): Promise<UnitTestTree> =>
    runner.runSchematic('a2a-executor', options, tree);

  describe('the collection', () => {
    it('is the one package.json names', () => {
      const manifest: { schematics: string } = createRequire(import.meta.url)(`${root}/package.json`);
      expect(manifest.schematics).toBe('./dist/schematics/collection.json');
    });

    it('answers to its alias', async () => {
      const tree = await runner.runSchematic('a2a', { name: 'orders' }, project());
      expect(tree.files).toContain('/src/orders/orders.agent.ts');
    });

    it.each(['service', 's'])('still runs the built-in "%s"', async (name) => {
      const tree = await runner.runSchematic(name, { name: 'orders', sourceRoot: 'src' }, project());
      expect(tree.files).toContain('/src/orders/orders.service.ts');
      expect(metadata(tree.readContent('/src/app.module.ts'), 'providers')).toBe(
        '[AppService,OrdersService]',
      );
    });

    it('still runs the other built-ins on the result', async () => {
      let tree = await runner.runSchematic('module', { name: 'orders', sourceRoot: 'src' }, project());
      tree = await runner.runSchematic('controller', { name: 'orders', sourceRoot: 'src' }, tree);
      tree = await generate({ name: 'orders', sourceRoot: 'src' }, tree);
      expect(tree.files).toEqual(
        expect.arrayContaining([
          '/src/orders/orders.agent.ts',
          '/src/orders/orders.controller.ts',
          '/src/orders/orders.module.ts',
        ]),
      );
    });
  });

  describe('the files', () => {
    it('are the executor and its spec', async () => {
      const before = project();
      const existing = new UnitTestTree(before).files;
      const tree = await generate({ name: 'orders' }, before);
      expect(tree.files.filter((file) => !existing.includes(file))).toEqual([
        '/src/orders/orders.agent.ts',
        '/src/orders/orders.agent.spec.ts',
      ]);
    });

    it('hold a class with one skill', async () => {
      const content = (await generate({ name: 'orders' })).readContent('/src/orders/orders.agent.ts');
      expect(syntaxErrors(content)).toEqual([]);
      expect(content).toMatch(/@AgentExecutor\(\{\n {2}name: 'Orders',/);
      expect(content).toContain('export class OrdersAgent {');
      expect(content).toMatch(/@Skill\(\{\n {4}id: 'orders',/);
      expect(content).toContain('async *orders(context: RequestContext) {');
      expect(content).toContain('textPart(`Hello, ${context.userInput}`)');
    });

    it('are formatted as Prettier formats a new Nest project', async () => {
      const tree = await generate({ name: 'orders' });
      for (const file of ['/src/orders/orders.agent.ts', '/src/orders/orders.agent.spec.ts']) {
        const content = tree.readContent(file);
        expect(await format(content, { parser: 'typescript', singleQuote: true, trailingComma: 'all' })).toBe(
          content,
        );
      }
    });

    it('spell a name of several words as each place needs it', async () => {
      const tree = await generate({ name: 'OrderDesk' });
      const content = tree.readContent('/src/order-desk/order-desk.agent.ts');
      expect(content).toContain('export class OrderDeskAgent {');
      expect(content).toContain(`name: 'Order desk'`);
      expect(content).toContain(`id: 'order-desk'`);
      expect(content).toContain('async *orderDesk(');
      expect(tree.readContent('/src/app.module.ts')).toContain(
        `import { OrderDeskAgent } from './order-desk/order-desk.agent.js';`,
      );
    });

    it('import with an extension in an ESM project', async () => {
      const tree = await generate({ name: 'orders' });
      expect(tree.readContent('/src/orders/orders.agent.spec.ts')).toContain(`from './orders.agent.js';`);
      expect(tree.readContent('/src/app.module.ts')).toContain(`from './orders/orders.agent.js';`);
    });

    it('import without one in a CommonJS project', async () => {
      const tree = await generate({ name: 'orders' }, project({ 'package.json': '{}' }));
      expect(tree.readContent('/src/orders/orders.agent.spec.ts')).toContain(`from './orders.agent';`);
      expect(tree.readContent('/src/app.module.ts')).toContain(`from './orders/orders.agent';`);
    });

    it('test with the platform the project has', async () => {
      const express = await generate({ name: 'orders' });
      expect(express.readContent('/src/orders/orders.agent.spec.ts')).toContain('createNestApplication();');
      const fastify = await generate(
        { name: 'orders' },
        project({ 'package.json': '{ "dependencies": { "@nestjs/platform-fastify": "^12.0.0" } }' }),
      );
      const spec = fastify.readContent('/src/orders/orders.agent.spec.ts');
      expect(spec).toContain(`import { FastifyAdapter } from '@nestjs/platform-fastify';`);
      expect(spec).toContain('createNestApplication(new FastifyAdapter());');
      expect(syntaxErrors(spec)).toEqual([]);
    });
  });

  describe('the options', () => {
    it('flat writes beside the module', async () => {
      const tree = await generate({ name: 'orders', flat: true });
      expect(tree.files).toEqual(
        expect.arrayContaining(['/src/orders.agent.ts', '/src/orders.agent.spec.ts']),
      );
      expect(tree.readContent('/src/app.module.ts')).toContain(`from './orders.agent.js';`);
    });

    it('spec: false writes no spec', async () => {
      const tree = await generate({ name: 'orders', spec: false });
      expect(tree.files).toContain('/src/orders/orders.agent.ts');
      expect(tree.files.filter((file) => file.includes('spec'))).toEqual([]);
    });

    it('specFileSuffix renames the spec', async () => {
      const tree = await generate({ name: 'orders', specFileSuffix: 'test' });
      expect(tree.files).toContain('/src/orders/orders.agent.test.ts');
      expect(tree.files).not.toContain('/src/orders/orders.agent.spec.ts');
    });

    it('path and leading segments of the name are directories', async () => {
      const tree = await generate({ name: 'shop/orders', path: 'features' });
      expect(tree.files).toContain('/src/features/shop/orders/orders.agent.ts');
      expect(tree.readContent('/src/app.module.ts')).toContain(
        `from './features/shop/orders/orders.agent.js';`,
      );
    });

    it('sourceRoot picks the project of a workspace', async () => {
      const tree = await generate(
        { name: 'orders', sourceRoot: 'apps/desk/src', project: 'desk' },
        project({ 'apps/desk/src/desk.module.ts': APP_MODULE }),
      );
      expect(tree.files).toContain('/apps/desk/src/orders/orders.agent.ts');
      expect(metadata(tree.readContent('/apps/desk/src/desk.module.ts'), 'providers')).toContain(
        'OrdersAgent',
      );
      expect(tree.readContent('/src/app.module.ts')).toBe(APP_MODULE);
    });

    it('skipImport leaves the module alone', async () => {
      const tree = await generate({ name: 'orders', skipImport: true });
      expect(tree.files).toContain('/src/orders/orders.agent.ts');
      expect(tree.readContent('/src/app.module.ts')).toBe(APP_MODULE);
    });

    it('format runs Prettier over what was written', async () => {
      const untidy = APP_MODULE.replace('imports: []', 'imports:   []');
      const tree = await generate({ name: 'orders', format: true }, project({ 'src/app.module.ts': untidy }));
      expect(tree.readContent('/src/app.module.ts')).toContain('  imports: [');
      expect(tree.readContent('/src/app.module.ts')).not.toContain('imports:   [');
    });
  });

  describe('the module', () => {
    const edit = async (content: string, name = 'orders'): Promise<string> => {
      const tree = await generate({ name }, project({ 'src/app.module.ts': content }));
      const edited = tree.readContent('/src/app.module.ts');
      expect(syntaxErrors(edited)).toEqual([]);
      return edited;
    };

    it('of a fresh project becomes exactly this', async () => {
      expect(await edit(APP_MODULE)).toBe(`import { Module } from '@nestjs/common';
import { A2AModule } from 'nest-a2a';
import { AppController } from './app.controller.js';
import { AppService } from './app.service.js';
import { OrdersAgent } from './orders/orders.agent.js';

@Module({
  imports: [A2AModule.forFeature([OrdersAgent])],
  controllers: [AppController],
  providers: [AppService, OrdersAgent],
})
export class AppModule {}
`);
    });

    it('gets the properties it lacks', async () => {
      const edited = await edit(
        `import { Module } from '@nestjs/common';\n\n@Module({})\nexport class AppModule {}\n`,
      );
      expect(metadata(edited, 'imports')).toBe('[A2AModule.forFeature([OrdersAgent])]');
      expect(metadata(edited, 'providers')).toBe('[OrdersAgent]');
    });

    it('keeps its other imports', async () => {
      const edited = await edit(module('[A2AModule.forRoot()]', `import { A2AModule } from 'nest-a2a';\n`));
      expect(metadata(edited, 'imports')).toBe('[A2AModule.forRoot(),A2AModule.forFeature([OrdersAgent])]');
      expect(edited.match(/'nest-a2a'/g)).toHaveLength(1);
    });

    it('imports A2AModule in the statement that imports from the package already', async () => {
      const edited = await edit(module('[]', `import { TaskStore } from 'nest-a2a';\n`));
      expect(edited).toContain(`import { TaskStore, A2AModule } from 'nest-a2a';`);
    });

    it('adds a statement where the package is imported for its types only', async () => {
      const edited = await edit(module('[]', `import type { TaskStore } from 'nest-a2a';\n`));
      expect(edited).toContain(
        `import type { TaskStore } from 'nest-a2a';\nimport { A2AModule } from 'nest-a2a';`,
      );
    });

    it('uses the name that A2AModule was imported under', async () => {
      const edited = await edit(module('[]', `import { A2AModule as Agents } from 'nest-a2a';\n`));
      expect(metadata(edited, 'imports')).toBe('[Agents.forFeature([OrdersAgent])]');
      expect(edited.match(/'nest-a2a'/g)).toHaveLength(1);
    });

    it.each([
      ['an empty array', 'A2AModule.forFeature([])', 'A2AModule.forFeature([OrdersAgent])'],
      [
        'an array of one',
        'A2AModule.forFeature([BillingAgent])',
        `A2AModule.forFeature([BillingAgent, { agent: OrdersAgent, path: 'orders' }])`,
      ],
      [
        'a trailing comma',
        'A2AModule.forFeature([BillingAgent,])',
        `A2AModule.forFeature([BillingAgent, { agent: OrdersAgent, path: 'orders' },])`,
      ],
      [
        'one element a line',
        `A2AModule.forFeature([\n      { agent: BillingAgent, path: 'a[1]' }, // the till\n    ])`,
        `A2AModule.forFeature([\n      { agent: BillingAgent, path: 'a[1]' },\n      { agent: OrdersAgent, path: 'orders' }, // the till\n    ])`,
      ],
      [
        'a call broken over lines',
        'A2AModule\n      .forFeature([BillingAgent])',
        `A2AModule\n      .forFeature([BillingAgent, { agent: OrdersAgent, path: 'orders' }])`,
      ],
    ])('has its forFeature extended: %s', async (_, before, after) => {
      const lines = `import { A2AModule } from 'nest-a2a';\nimport { BillingAgent } from './billing.agent.js';\n`;
      const edited = await edit(
        module(`[A2AModule.forRoot(), ${before}, OtherModule.forFeature([X])]`, lines),
      );
      expect(edited).toContain(`imports: [A2AModule.forRoot(), ${after}, OtherModule.forFeature([X])]`);
      expect(metadata(edited, 'providers')).toBe('[OrdersAgent]');
    });

    it('gets a second forFeature where the first is given no array literal', async () => {
      const edited = await edit(
        module('[A2AModule.forFeature(agents)]', `import { A2AModule } from 'nest-a2a';\n`),
      );
      expect(metadata(edited, 'imports')).toBe(
        '[A2AModule.forFeature(agents),A2AModule.forFeature([OrdersAgent])]',
      );
    });

    it('may call another package forFeature without being mistaken', async () => {
      const edited = await edit(module('[TypeOrmModule.forFeature([Order])]'));
      expect(metadata(edited, 'imports')).toBe(
        '[TypeOrmModule.forFeature([Order]),A2AModule.forFeature([OrdersAgent])]',
      );
    });

    it('is the nearest one', async () => {
      const orders = APP_MODULE.replace('AppModule', 'OrdersModule');
      const tree = await generate({ name: 'orders' }, project({ 'src/orders/orders.module.ts': orders }));
      const edited = tree.readContent('/src/orders/orders.module.ts');
      expect(edited).toContain(`import { OrdersAgent } from './orders.agent.js';`);
      expect(metadata(edited, 'imports')).toBe('[A2AModule.forFeature([OrdersAgent])]');
      expect(metadata(edited, 'providers')).toBe('[AppService,OrdersAgent]');
      expect(tree.readContent('/src/app.module.ts')).toBe(APP_MODULE);
    });

    it('gives a path of its own to a second agent of the app, in whichever module', async () => {
      const first = await generate({ name: 'billing' });
      first.create('src/orders/orders.module.ts', APP_MODULE);
      const tree = await generate({ name: 'orders' }, first);
      expect(metadata(tree.readContent('/src/orders/orders.module.ts'), 'imports')).toBe(
        `[A2AModule.forFeature([{agent:OrdersAgent,path:'orders'}])]`,
      );
    });

    it('may be missing: the files are written and a warning tells what is left to do', async () => {
      const tree = project();
      tree.delete('src/app.module.ts');
      const result = await generate({ name: 'orders' }, tree);
      expect(result.files).toContain('/src/orders/orders.agent.ts');
      expect(logged).toEqual([
        expect.stringMatching(/No module was found.*add OrdersAgent to the providers/),
      ]);
    });

    it('is left alone when it names the agent already', async () => {
      const first = await generate({ name: 'orders' });
      const before = first.readContent('/src/app.module.ts');
      first.delete('/src/orders/orders.agent.ts');
      first.delete('/src/orders/orders.agent.spec.ts');
      const tree = await generate({ name: 'orders' }, first);
      expect(tree.files).toContain('/src/orders/orders.agent.ts');
      expect(tree.readContent('/src/app.module.ts')).toBe(before);
      expect(logged).toEqual([expect.stringMatching(/names OrdersAgent already/)]);
    });

    it.each([
      ['imports', module('SHARED')],
      ['providers', APP_MODULE.replace('[AppService]', 'SHARED')],
      ['no decorator', 'export class AppModule {}\n'],
    ])('is refused when it cannot be edited: %s', async (_, content) => {
      await expect(generate({ name: 'orders' }, project({ 'src/app.module.ts': content }))).rejects.toThrow(
        /^\/src\/app\.module\.ts cannot be edited: .*"providers" and "imports" as array literals.*--skip-import/,
      );
    });
  });

  describe('refuses', () => {
    it.each(['1orders', 'orders!', 'or;ders', 'or$ders', "o'rders", '-', '…'])(
      'the name "%s"',
      async (name) => {
        await expect(generate({ name })).rejects.toThrow(/cannot name an agent: start with a letter/);
      },
    );

    it.each(['execute', 'cancel', 'then', 'constructor', 'on-module-init'])(
      'the name "%s", a method of other meaning',
      async (name) => {
        await expect(generate({ name })).rejects.toThrow(
          /cannot name an agent: its skill would be the method/,
        );
      },
    );

    it('a missing name', async () => {
      await expect(generate({})).rejects.toThrow(/required property 'name'/);
    });

    it('a project in JavaScript', async () => {
      await expect(generate({ name: 'orders', language: 'js' })).rejects.toThrow(/TypeScript only/);
    });

    it('to overwrite an agent', async () => {
      const tree = await generate({ name: 'orders' });
      await expect(generate({ name: 'orders' }, tree)).rejects.toThrow(/orders\.agent\.ts" already exist/);
    });
  });
});
