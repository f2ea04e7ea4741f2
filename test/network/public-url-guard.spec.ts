import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { UnsafeUrlError, UrlFetchError } from '../../lib/interfaces/url-guard.js';
import type { UrlGuardOptions } from '../../lib/interfaces/url-guard-options.js';
import { isPublicAddress } from '../../lib/network/is-public-address.js';
import { PublicUrlGuard } from '../../lib/network/public-url-guard.js';
import { HOSTILE_URLS } from './hostile-urls.js';

const PUBLIC = [{ address: '93.184.215.14', family: 4 }];
const LOOPBACK = [{ address: '127.0.0.1', family: 4 }];

let guard: PublicUrlGuard;
let server: Server | undefined;
const hits: string[] = [];

function guardWith(options: UrlGuardOptions = {}): PublicUrlGuard {
  guard = new PublicUrlGuard({ lookup: async () => PUBLIC, ...options });
  return guard;
}

async function serve(listener: RequestListener): Promise<number> {
  hits.length = 0;
  server = createServer((request, response) => {
    hits.push(request.url!);
    listener(request, response);
  });
  await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

afterEach(async () => {
  await guard?.close();
  server?.closeAllConnections();
  server?.close();
  server = undefined;
});

describe('hostile URLs', () => {
  it('are many, and each is another', () => {
    expect(HOSTILE_URLS.length).toBeGreaterThan(100);
    expect(new Set(HOSTILE_URLS).size).toBe(HOSTILE_URLS.length);
  });

  it.each(HOSTILE_URLS)('%j is refused, kept or fetched', async (url) => {
    guardWith({
      lookup: () => {
        throw new Error('No resolver is to be asked');
      },
    });
    await expect(guard.check(url)).rejects.toBeInstanceOf(UnsafeUrlError);
    await expect(guard.fetch(url)).rejects.toBeInstanceOf(UnsafeUrlError);
  });
});

describe('isPublicAddress', () => {
  it.each([
    '93.184.215.14',
    '1.1.1.1',
    '8.8.8.8',
    '172.32.0.1',
    '100.128.0.1',
    '2606:4700::1111',
    '2a00:1450::1',
    '2001:4860:4860::8888',
  ])('takes %s', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it.each(['', 'example.com', '2606:4700::1%eth0', '127.1'])('takes %j for none', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});

describe('check()', () => {
  it('lets public addresses and names through', async () => {
    guardWith();
    for (const url of [
      'https://example.com/hook?a=1',
      'http://8.8.8.8:8080/',
      'https://[2606:4700::1111]/',
      'https://bücher.example.com/',
    ]) {
      await expect(guard.check(url)).resolves.toBeUndefined();
    }
  });

  it('refuses a name of which any address is private', async () => {
    guardWith({ lookup: async () => [...PUBLIC, { address: '10.0.0.5', family: 4 }] });
    await expect(guard.check('https://mixed.example.com/')).rejects.toThrow('not public');
    guardWith({ lookup: async () => [{ address: '::ffff:10.0.0.5', family: 6 }] });
    await expect(guard.check('https://mapped.example.com/')).rejects.toThrow('not public');
  });

  it('lets a name through that does not resolve, now or in time; fetching it fails closed', async () => {
    guardWith({ lookup: async () => Promise.reject(new Error('ENOTFOUND')) });
    await expect(guard.check('https://later.example.com/')).resolves.toBeUndefined();
    await expect(guard.fetch('https://later.example.com/')).rejects.toBeInstanceOf(UrlFetchError);
    await guard.close();
    guardWith({ lookup: () => new Promise(() => {}), lookupMs: 20 });
    await expect(guard.check('https://slow.example.com/')).resolves.toBeUndefined();
    await expect(guard.fetch('https://slow.example.com/', { timeoutMs: 50 })).rejects.toThrow('50 ms');
  });

  it('takes what the allow-list names, as the URL has it, and nothing else', async () => {
    guardWith({ allow: ['localhost', '10.0.0.5', '[::1]', '127.0.0.1:3000'] });
    for (const url of [
      'http://localhost:99/',
      'http://10.0.0.5/',
      'http://0xa000005/',
      'http://[::1]/',
      'http://127.0.0.1:3000/',
    ]) {
      await expect(guard.check(url)).resolves.toBeUndefined();
    }
    for (const url of [
      'http://10.0.0.6/',
      'http://127.0.0.1/',
      'http://a.localhost/',
      'ftp://localhost/',
      'http://u@localhost/',
    ]) {
      await expect(guard.check(url)).rejects.toBeInstanceOf(UnsafeUrlError);
    }
    expect(() => new PublicUrlGuard({ allow: ['http://localhost'] })).toThrow(TypeError);
  });
});

describe('fetch()', () => {
  it('fetches from an allowed host', async () => {
    const port = await serve((request, response) => {
      response.setHeader('x-method', request.method!).end(request.headers['x-token']);
    });
    guardWith({ allow: ['127.0.0.1'] });
    const answer = await guard.fetch(`http://127.0.0.1:${port}/a`, {
      method: 'POST',
      body: 'x',
      headers: { 'x-token': 't' },
    });
    expect(answer).toMatchObject({ status: 200, headers: { 'x-method': 'POST' } });
    expect(Buffer.from(answer.body).toString()).toBe('t');
  });

  it('connects to nothing when a resolver says public at first, and private then', async () => {
    const port = await serve((_request, response) => response.end('secret'));
    let asked = 0;
    guardWith({ lookup: async () => (asked++ === 0 ? PUBLIC : LOOPBACK) });
    const url = `http://rebind.example.com:${port}/`;
    await guard.check(url);
    await expect(guard.fetch(url)).rejects.toBeInstanceOf(UnsafeUrlError);
    expect({ hits, asked }).toEqual({ hits: [], asked: 2 });
  });

  it('asks the resolver once for a connection, and connects to what it said', async () => {
    const port = await serve((_request, response) => response.end('secret'));
    let asked = 0;
    // Public when it is checked; whatever it would say afterwards is not heard.
    guardWith({
      timeoutMs: 300,
      lookup: async () => (asked++ === 0 ? [{ address: '192.0.9.1', family: 4 }] : LOOPBACK),
    });
    await expect(guard.fetch(`http://rebind.example.com:${port}/`)).rejects.toBeInstanceOf(UrlFetchError);
    expect({ hits, asked }).toEqual({ hits: [], asked: 1 });
  });

  it('does not follow a redirect, to a private address or anywhere', async () => {
    const port = await serve((_request, response) => {
      response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data/' }).end();
    });
    guardWith({ allow: ['127.0.0.1'] });
    const answer = await guard.fetch(`http://127.0.0.1:${port}/start`);
    expect(answer.status).toBe(302);
    expect(hits).toEqual(['/start']);
  });

  it('does not trust an address because a host of the allow-list has it', async () => {
    const port = await serve((_request, response) => response.end('secret'));
    guardWith({ allow: ['localhost'], lookup: async () => LOOPBACK });
    expect((await guard.fetch(`http://localhost:${port}/`)).status).toBe(200);
    await expect(guard.fetch(`http://other.example.com:${port}/`)).rejects.toBeInstanceOf(UnsafeUrlError);
    expect(hits).toHaveLength(1);
  });

  it.each([
    ['announced', { 'content-length': '1000' }],
    ['in chunks', {}],
  ])('breaks off an answer that is too large, %s', async (_name, headers) => {
    const port = await serve((_request, response) =>
      response.writeHead(200, headers).end(Buffer.alloc(1_000)),
    );
    guardWith({ allow: ['127.0.0.1'] });
    await expect(guard.fetch(`http://127.0.0.1:${port}/`, { maxBytes: 999 })).rejects.toThrow(
      'larger than 999',
    );
    expect((await guard.fetch(`http://127.0.0.1:${port}/`, { maxBytes: 1_000 })).body).toHaveLength(1_000);
  });

  it('breaks off an answer that takes too long, before and within the body', async () => {
    const port = await serve((request, response) => {
      if (request.url === '/body') response.write('x');
    });
    guardWith({ allow: ['127.0.0.1'], timeoutMs: 100 });
    await expect(guard.fetch(`http://127.0.0.1:${port}/head`)).rejects.toThrow('100 ms');
    await expect(guard.fetch(`http://127.0.0.1:${port}/body`)).rejects.toThrow('100 ms');
    const abort = AbortSignal.abort(new Error('mine'));
    await expect(guard.fetch(`http://127.0.0.1:${port}/`, { signal: abort })).rejects.toThrow('mine');
  });

  it('refuses headers that would hold another', async () => {
    guardWith({ allow: ['127.0.0.1'] });
    const hostile: Record<string, string>[] = [
      { a: 'x\r\nb: y' },
      { a: 'x\ny' },
      { 'a\r\nb': 'x' },
      { a: '\u0000' },
      { 'a b': 'x' },
    ];
    for (const headers of hostile) {
      await expect(guard.fetch('http://127.0.0.1:1/', { headers })).rejects.toBeInstanceOf(TypeError);
    }
  });
});
