import './watch-errors.js';
import { afterAll, afterEach, expect } from 'vitest';
import { JWT } from './known-secrets.js';
import { allowPlainSecret, takeLeaks } from './leaks.js';
import { watchAnswers } from './watch-answers.js';
import { watchLogs } from './watch-logs.js';
import { watchMemory } from './watch-memory.js';
import { watchOutput } from './watch-output.js';

// Databases, Redis and other processes are looked at by the helpers that open and drop them.
watchOutput();
watchLogs();
watchAnswers();
watchMemory();

allowPlainSecret('answer', JWT, 'cards are signed, and authorization servers answer tokens');

const expectNone = (): void => expect(takeLeaks(), 'secrets that leaked').toEqual([]);

// They run after those of the test files, which drop what was stored.
afterEach(expectNone);
afterAll(expectNone);
