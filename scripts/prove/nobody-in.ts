/** Campaigns that try to get at what is not theirs, or to run what they bring. */
import type { Bound, Listed } from './campaign.ts';

export const nobodyIn: readonly Listed[] = [
  {
    name: 'permissions',
    what: 'Every operation with every kind of credentials: own account, other account, other mode, each permission alone, revoked, wrong, none, payer’s token. What is foreign is told apart from what is unknown by no byte.',
    files: ['test/api/auth.test.ts', 'test/api/keys.test.ts'],
    databases: ['sqlite', 'postgres'],
    scale: 1,
    short: { scale: 1 },
    reach: { tests: { atLeast: 400 } },
    limitMinutes: 10,
  },
  {
    name: 'openapi-fuzz',
    what: 'Requests made from the API document alone, valid, nearly valid and hostile, to every operation; and statements, provider events, credentials, headers, multipart bodies, forms, tokens and cursors after some changes. No answer is a failure or one that the document does not have, what breaks the document is refused, what is refused writes nothing, and no input holds up the serving thread.',
    files: ['test/api/fuzz/openapi-fuzz.test.ts', 'test/api/fuzz/parsers.test.ts'],
    databases: ['sqlite', 'postgres'],
    scale: 150,
    reach: {
      requests: { atLeast: 100_000 },
      refused_and_nothing_written: { atLeast: 10_000 },
      inputs: { atLeast: 20_000 },
      longest_ms: { atMost: 50 },
    },
    limitMinutes: 60,
  },
  {
    name: 'canaries',
    what: 'A day of use in which every field holds a value that nobody else has: every operation, well and badly asked, payers’ pages, webhooks, a provider and a database that fail, commands. None of it, and no secret, is in logs at their most talkative, in metrics, errors, addresses of requests; and no key in a backup.',
    files: ['test/api/canaries/canaries.test.ts'],
    databases: ['sqlite', 'postgres'],
    scale: 1,
    short: { scale: 1 },
    reach: { canaries: { atLeast: 1000 }, places_searched: { atLeast: 400 }, found: { atMost: 0 } },
    limitMinutes: 10,
  },
  {
    name: 'hostile-pages',
    what: 'Texts and addresses that carry scripts, in every field that a page may show and in addresses, queries and forms of pages: names, descriptions, references, metadata, persons, `success_url`, `cancel_url`, `webhook_url` and more. Chromium, told to ignore the policy of the pages, runs none of them; no address that carries one is stored. As a control the same texts are put into a page as they are.',
    files: ['test/pages/script-carriers.test.ts'],
    scale: 120,
    short: { scale: 1 },
    reach: {
      payloads: { atLeast: 100 },
      stored: { atMost: 0 },
      run: { atMost: 0 },
      run_where_nothing_escapes: { atLeast: 40 },
    },
    limitMinutes: 20,
  },
  {
    name: 'guard',
    what: 'Addresses, spellings, names, redirects and rebound names that lead webhooks inside. Nobody connects to the listener there; that the same ways reach it where they are allowed is tried too.',
    files: [
      'test/webhooks/guard-corpus.test.ts',
      'test/webhooks/guard-rebind.test.ts',
      'test/webhooks/sender-guard.test.ts',
    ],
    scale: 1,
    short: { scale: 1 },
    reach: { ways_inside: { atLeast: 150 }, rebound_names: { atLeast: 100 } },
    limitMinutes: 10,
  },
  {
    name: 'hostile-http',
    what: 'Bodies of ten megabytes, bodies that are 100,000 levels deep, and heads of 17 KiB, over 20 connections at once, with a key and without; and 500 clients that send byte by byte. All of them are refused. Ratios are those of the 99th percentile of a tenant that fetches and updates meanwhile; where one is above 1.5, the median of three counts.',
    files: ['bench/hostile-http.ts'],
    scale: 1,
    reach: Object.fromEntries(
      ['bodies', 'deep', 'heads', 'slow'].flatMap((name): [string, Bound][] => [
        [`${name}_not_refused`, { atMost: 0 }],
        [`${name}_p99_ratio`, { atMost: 2 }],
        [`${name}_memory_mib`, { atMost: 100 }],
        name === 'slow' ? ['slow_clients', { atLeast: 500 }] : [`${name}_sent`, { atLeast: 100 }],
        name === 'slow' ? ['slow_closed_ms', { atMost: 60_000 }] : [`${name}_refused`, { atMost: 0 }],
      ]),
    ),
    limitMinutes: 15,
  },
];
