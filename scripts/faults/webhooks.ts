/** Faults in webhooks: signatures, the guard of networks, retries, the circuit breaker. */
import type { Fault } from './fault.ts';

const webhooks = (file: string, ...tests: readonly string[]) => ({
  file: `src/webhooks/${file}.ts`,
  tests: tests.map((name) => `test/webhooks/${name}.test.ts`),
});

export const webhookFaults: readonly Fault[] = [
  {
    name: 'the signature leaves out the time',
    ...webhooks('sign', 'sign', 'sign-library'),
    find: '.update(`${id}.${timestamp}.`)',
    replace: '.update(`${id}.`)',
  },
  {
    name: 'the older signature is made with the newest secret',
    ...webhooks('sign', 'sign-older', 'sign'),
    find: 'secrets.at(-1) ?? secrets[0]',
    replace: 'secrets[0]',
  },
  {
    name: 'the older signature is over the body before the id',
    ...webhooks('sign', 'sign-older', 'sign'),
    find: '.update(id).update(body).update(createdAt)',
    replace: '.update(body).update(id).update(createdAt)',
  },
  {
    name: 'a secret without a key signs',
    ...webhooks('sign', 'sign', 'sign-library'),
    find: 'if (key.length === 0) throw',
    replace: 'if (key.length < 0) throw',
  },
  {
    name: 'a secret that was replaced signs for a moment too long',
    ...webhooks('secrets', 'secrets'),
    find: 'previous.until > now',
    replace: 'previous.until >= now',
  },
  {
    name: 'the guard takes IPv6 outside of global unicast for public',
    ...webhooks('guard', 'guard', 'guard-corpus'),
    find: "parsed.range() !== 'unicast' || !parsed.match(GLOBAL_UNICAST)",
    replace: "parsed.range() !== 'unicast'",
  },
  {
    name: 'the guard lets NAT64 through to private addresses',
    ...webhooks('guard', 'guard', 'guard-corpus'),
    find: '!isPublicIPv4(new ipaddr.IPv4(parsed.toByteArray().slice(12)))',
    replace: 'false',
  },
  {
    name: 'the guard misses the metadata service of Azure',
    ...webhooks('guard', 'guard', 'guard-corpus'),
    find: "address.range() === 'unicast' && !address.match(AZURE_PLATFORM, 32)",
    replace: "address.range() === 'unicast'",
  },
  {
    name: 'the guard looks at the first address of a name alone',
    ...webhooks('guard', 'guard', 'guard-rebind'),
    find: '[first, ...others].some(',
    replace: '[first].some(',
  },
  {
    name: 'the guard compares an allowed network with addresses of the other kind',
    ...webhooks('guard', 'guard', 'guard-corpus'),
    find: 'network.kind() === address.kind() && address.match(network as never, bits)',
    replace: 'address.match(network as never, bits)',
  },
  {
    name: 'an address that is written as a number is not vetted',
    ...webhooks('sender', 'guard-corpus'),
    find: 'literal !== null && isForbidden(literal, rules)',
    replace: "literal === '' && isForbidden(literal, rules)",
  },
  {
    name: 'a redirect counts as delivered',
    ...webhooks('sender', 'sender-answer', 'sender'),
    find: 'statusCode >= 200 && statusCode < 300',
    replace: 'statusCode >= 200 && statusCode < 400',
  },
  {
    name: 'every broken connection is tried again at once',
    ...webhooks('sender', 'sender'),
    find: 'agent !== false && request.reusedSocket && status === null',
    replace: 'agent !== false && status === null',
  },
  {
    name: 'a delivery is tried once too often',
    ...webhooks('backoff', 'backoff'),
    find: 'attemptsMade >= MAX_ATTEMPTS',
    replace: 'attemptsMade > MAX_ATTEMPTS',
  },
  {
    name: 'the first retry waits as long as the second',
    ...webhooks('backoff', 'backoff'),
    find: 'GROWTH ** (attemptsMade - 1)',
    replace: 'GROWTH ** attemptsMade',
  },
  {
    name: 'a receiver may put off its events for ever',
    ...webhooks('backoff', 'backoff'),
    find: 'Math.min(retryAfterMs ?? 0, MAX_RETRY_AFTER_MS)',
    replace: 'retryAfterMs ?? 0',
  },
  {
    name: 'a receiver is suspended one failure late',
    ...webhooks('health', 'health'),
    find: 'failures >= SUSPENDED_AFTER ||',
    replace: 'failures > SUSPENDED_AFTER ||',
  },
  {
    name: 'what was still on its way counts as a probe',
    ...webhooks('health', 'health'),
    find: '    if (now < probeAt) return { ...known, probes: before.probes, probeAt, announced };\n',
    replace: '',
  },
  {
    name: 'a place is never given back',
    ...webhooks('concurrency-limit', 'concurrency-limit'),
    checkers: { simulation: 'finds' },
    find: '.underWay--;',
    replace: '.underWay;',
  },
  {
    name: 'the lateness of a busy service is held against receivers',
    ...webhooks('concurrency-limit', 'concurrency-limit'),
    find: ' + TOLERANCE_MS + writingMs;',
    replace: ' + TOLERANCE_MS;',
  },
  {
    name: 'a busy service does not keep pace with its webhooks',
    ...webhooks('concurrency-limit', 'concurrency-limit'),
    find: 'there + Math.ceil(ENOUGH_PER_MS_OF_WRITING * writingMs)',
    replace: 'there',
  },
  {
    name: 'a disabled endpoint goes on getting events',
    ...webhooks('endpoint', 'endpoint'),
    checkers: { simulation: 'finds' },
    find: '  if (disabled !== null) return false;\n',
    replace: '',
  },
  {
    name: 'one endpoint more than the limit',
    ...webhooks('endpoint', 'endpoint'),
    find: '{ length: MAX_ENDPOINTS }',
    replace: '{ length: MAX_ENDPOINTS + 1 }',
  },
  {
    name: 'a name that the system could not resolve fails all that follow',
    ...webhooks('resolve', 'resolve'),
    find: 'lastTurn = turn.catch(() => {});',
    replace: 'lastTurn = turn;',
  },
];
