/**
 * Marks of secrets that tests use again and again: none may ever be printed. What an executor throws may be, so `hunter2` of the scripted agent is
 * not among them.
 */
export const KNOWN_SECRETS: readonly string[] = [
  'a secret of the tests, which nobody may ever see in a log',
  'another secret, which is long enough too',
  'introspection-secret',
  'not-a-token-but-secret',
  'key-of-ann',
  'key-of-bob',
  'pass:ann',
  'geheim',
  's3cr3t-',
];
