import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const path = (file: string) => fileURLToPath(new URL(file, import.meta.url));

export default defineConfig({
  resolve: {
    alias: [
      { find: /^nest-a2a$/, replacement: path('./lib/index.ts') },
      { find: /^nest-a2a\/(\w+)$/, replacement: path('./lib/$1/index.ts') },
    ],
  },
  test: {
    include: ['test/**/*.spec.ts'],
    setupFiles: ['reflect-metadata', path('./test/support/secrets/setup.ts')],
    testTimeout: 20_000,
    hookTimeout: 30_000,
  },
});
