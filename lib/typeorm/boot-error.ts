/**
 * The database cannot be used as it is; the application does not start. The message says how to mend it.
 *
 * @publicApi
 */
export class A2ATypeOrmBootError extends Error {
  override readonly name = 'A2ATypeOrmBootError';
}
