/** Joins a URL or path with path segments: one slash between them, none at the end, empty ones left out. */
export function joinUrl(base: string, ...segments: readonly string[]): string {
  const tail = segments.map(trimSlashes).filter((segment) => segment !== '');
  return [base.replace(/\/+$/, ''), ...tail].join('/');
}

/** Takes the slashes off both ends. */
export function trimSlashes(path: string): string {
  return path.replace(/^\/+|\/+$/g, '');
}
