import type { Part } from './model.js';

/**
 * The text of a message, an artifact or some parts: their text parts joined by `separator`, a line break unless
 * given; parts of another kind are left out. Chunks of one streamed artifact join without one: `getText(artifact, '')`.
 */
export function getText(content: { parts: readonly Part[] } | readonly Part[], separator = '\n'): string {
  const parts: readonly Part[] = 'parts' in content ? content.parts : content;
  return parts
    .map((part) => part.text)
    .filter((text) => text !== undefined)
    .join(separator);
}
