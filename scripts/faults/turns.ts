/** Faults in whose turn it is: who waits for whom, rates, uploads, and what is refused where too much waits. */
import type { Fault } from './fault.ts';
import { http } from './rooms.ts';

const arrivals = { file: 'src/http/arrivals.ts', tests: ['test/http/arrivals.test.ts'] };

export const turnFaults: readonly Fault[] = [
  {
    name: 'the time for which a request has waited for its turn is told to nobody',
    ...arrivals,
    find: 'ms: turn.ms - arrived.ms,',
    replace: 'ms: 0,',
  },
  {
    name: 'changes are refused where hardly any others were before them',
    ...arrivals,
    find: ' || wait.begun < MAX_BATCH',
    replace: '',
  },
  {
    name: 'changes are refused because the thread stood still',
    ...arrivals,
    find: 'Math.min(now - steppedAt, LONGEST_STEP_MS)',
    replace: 'now - steppedAt',
  },
  {
    name: 'all that one caller sends in a moment begins at once',
    ...arrivals,
    find: 'atOnce: 32,',
    replace: 'atOnce: 32_000,',
  },
  {
    name: 'requests that take long take the whole turn',
    file: 'src/http/turns.ts',
    tests: ['test/http/turns.test.ts'],
    find: ' || performance.now() - since >= forMs',
    replace: '',
  },
  {
    name: 'what requests do behind a pause does not count for the turn',
    file: 'src/http/turns.ts',
    tests: ['test/http/turns.test.ts'],
    find: 'setImmediate(beginNext);',
    replace: 'beginNext();',
  },
  {
    name: 'who makes up credentials has a turn for each of them',
    ...arrivals,
    find: 'clientOf(request.socket.remoteAddress)',
    replace: '`${request.headers.authorization}`',
  },
  {
    name: 'tenants wait for all addresses that others have',
    ...arrivals,
    find: 'tenantNamed(caller) === null ? 1 : 0',
    replace: 'tenantNamed(caller) === null ? 0 : 0',
  },
  {
    name: 'requests of clients that have left are begun',
    ...arrivals,
    find: 'if (!request.socket.destroyed) begin();',
    replace: 'begin();',
  },
  {
    name: 'uploads are taken as fast as they come, whatever that costs others',
    ...http('upload', 'uploads'),
    find: '}, waitFor(piece.length));',
    replace: '}, 0);',
  },
  {
    name: 'what an upload took is never given back',
    ...http('upload', 'uploads'),
    find: '      underWay.delete(upload);\n',
    replace: '',
  },
  {
    name: 'each address of a network has a limit of its own',
    file: 'src/lib/client-address.ts',
    tests: ['test/lib/client-address.test.ts', 'test/api/rates.test.ts'],
    find: 'parsed.parts.slice(0, 4)',
    replace: 'parsed.parts',
  },
  {
    name: 'an IPv4 address that is written as IPv6 is another client',
    file: 'src/lib/client-address.ts',
    tests: ['test/lib/client-address.test.ts'],
    find: 'if (parsed.isIPv4MappedAddress()) return',
    replace: 'if (parsed.isIPv4MappedAddress() && parsed.zoneId) return',
  },
  {
    name: 'guesses from each address of a network have a limit of their own',
    ...http('admission', 'rates'),
    find: 'addresses: createAddressLimiter(ofAddress, now)',
    replace: 'addresses: createRateLimiter(ofAddress, now)',
  },
  {
    name: 'who has many keys may ask many times as much',
    ...http('admission', 'rates'),
    find: ' ?? refusalOf(tenants, tenantName(tenant))',
    replace: '',
  },
  {
    name: 'both modes of an account share a rate',
    ...http('admission', 'rates'),
    find: 'tenantName(tenant)',
    replace: 'String(tenant.account)',
  },
  {
    name: 'a provider waits for whoever else sends from its address',
    ...http('routes/provider-event', 'rates'),
    find: 'providers.get(senderOf(request)) ? 0 : ',
    replace: '',
  },
  {
    name: 'provider events without a signature are read, however many',
    ...http('routes/provider-event', 'rates'),
    find: ': unsigned.waitOf(request.ip)',
    replace: ': unsigned.waitOf(`not ${request.ip}`)',
  },
  {
    name: 'provider events without a signature are not counted',
    ...http('routes/provider-event', 'rates'),
    find: 'const waitMs = unsigned.take(request.ip);',
    replace: 'const waitMs = unsigned.waitOf(request.ip);',
  },
  {
    name: 'payers are refused where too many changes wait',
    file: 'src/http/overload.ts',
    tests: ['test/http/overload.test.ts'],
    find: " || !url.startsWith('/v3/')",
    replace: '',
  },
  {
    name: 'the time for which a change has waited to begin counts for nothing',
    file: 'src/http/app.ts',
    tests: ['test/api/overload.test.ts'],
    find: 'overload.refuses(request, response, lateMs(request))',
    replace: 'overload.refuses(request, response, 0)',
  },
  {
    name: 'a stop forgets the answers that are held back',
    file: 'src/http/overload.ts',
    tests: ['test/http/overload.test.ts'],
    find: 'tell(held.length);',
    replace: '',
  },
  {
    name: 'a query of PostgreSQL keeps its values until old objects are collected',
    file: 'src/store/postgres/emptied.ts',
    tests: ['test/memory/left.test.ts'],
    withPostgres: true,
    find: 'Object.assign(query, PARTS)',
    replace: 'Object.assign({}, query, PARTS)',
  },
  {
    name: 'a stream goes on reading from its generator when nobody reads it',
    file: 'src/lib/generated-readable.ts',
    tests: ['test/lib/generated-readable.test.ts'],
    find: 'this.#pieces.return?.() ?? Promise.resolve()',
    replace: 'Promise.resolve()',
  },
  {
    name: 'a request of the service to itself takes a stream as fast as it comes',
    file: 'src/http/dispatch.ts',
    tests: ['test/http/dispatch.test.ts'],
    find: '|| content.pause()',
    replace: '|| content.resume()',
  },
];
