import type { IncomingHttpHeaders } from 'node:http';
import { describe, expect, it } from 'vitest';
import { requestBaseUrl } from '../../lib/agent-card/request-base-url.js';

const SOCKET = { localAddress: '10.0.0.7', localPort: 3000 };
const at = (headers: IncomingHttpHeaders, trust = false, socket = {}) =>
  requestBaseUrl({ headers, socket: { ...SOCKET, ...socket } }, trust);

const FORWARDED = {
  host: 'inside:3000',
  'x-forwarded-proto': 'https',
  'x-forwarded-host': 'api.example.com',
  'x-forwarded-prefix': '/agents/',
};

describe('requestBaseUrl', () => {
  it('takes the Host header', () => {
    expect(at({ host: 'api.example.com:8080' })).toBe('http://api.example.com:8080');
    expect(at({ host: '[::1]:3000' })).toBe('http://[::1]:3000');
    expect(at({ ':authority': 'two.example.com' })).toBe('http://two.example.com');
  });

  it('says https on a TLS socket', () => {
    expect(at({ host: 'a.b' }, false, { encrypted: true })).toBe('https://a.b');
  });

  it('ignores forwarded headers unless they are trusted', () => {
    expect(at(FORWARDED)).toBe('http://inside:3000');
    expect(at(FORWARDED, true)).toBe('https://api.example.com/agents');
  });

  it('takes what the outermost proxy saw', () => {
    const chained = {
      ...FORWARDED,
      'x-forwarded-host': 'outer.example.com, inner',
      'x-forwarded-proto': 'https, http',
    };
    expect(at(chained, true)).toBe('https://outer.example.com/agents');
  });

  it.each(['a.b/evil', 'a.b"><script>', 'a b', 'user@a.b', ''])('does not believe the host %j', (host) => {
    expect(at({ host })).toBe('http://10.0.0.7:3000');
  });

  it.each(['//evil.example', '/a/../b?x', 'no-slash', '/a"b'])('does not believe the prefix %j', (prefix) => {
    expect(at({ ...FORWARDED, 'x-forwarded-prefix': prefix }, true)).toBe('https://api.example.com');
  });

  it('does not believe another protocol', () => {
    expect(at({ ...FORWARDED, 'x-forwarded-proto': 'javascript' }, true)).toBe(
      'http://api.example.com/agents',
    );
  });

  it('names the socket when there is no host', () => {
    expect(at({}, false, { localAddress: '::1' })).toBe('http://[::1]:3000');
  });
});
