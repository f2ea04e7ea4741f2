import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { snippetsOf, typeErrors } from './snippets.js';

const GUIDES = readdirSync(new URL('../../docs/guides', import.meta.url)).map(
  (file) => `docs/guides/${file}`,
);
const DOCUMENTS = ['README.md', ...GUIDES];

describe('the TypeScript of the documents', () => {
  it('is found', async () => {
    const found = await Promise.all(DOCUMENTS.map(snippetsOf));
    expect(found.flat().length).toBeGreaterThanOrEqual(10);
  });

  it('compiles in strict mode, as it stands', async () => {
    expect(await typeErrors(DOCUMENTS)).toEqual([]);
  }, 60_000);
});

describe('the links of the guides', () => {
  it.each(GUIDES)('%s: lead somewhere', (guide) => {
    const place = new URL(`../../${guide}`, import.meta.url);
    const links = [...readFileSync(place, 'utf8').matchAll(/\]\((?!https?:)([^)#]+)[^)]*\)/g)];
    const broken = links.map(([, link = '']) => link).filter((link) => !existsSync(new URL(link, place)));
    expect(broken).toEqual([]);
  });
});
