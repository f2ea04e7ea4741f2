/** The library that speaks OAuth. */
export type OAuthLibrary = typeof import('oauth4webapi');

/** It is an optional peer, so it is loaded when a token is needed for the first time. */
export async function loadOAuth(): Promise<OAuthLibrary> {
  try {
    return await import('oauth4webapi');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw cause;
    throw new Error('OAuth credentials need a package that is not there: npm install oauth4webapi', {
      cause,
    });
  }
}
