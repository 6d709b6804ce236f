/** Answers of rails, and their silence, as reported to sessions and told to the operator. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Attempt } from '../../src/checkout/session.ts';
import type { Rail, RailAnswer, RefundAnswer } from '../../src/methods/method.ts';
import { sandbox } from '../../src/methods/sandbox/sandbox.ts';
import { startAtRail, syncAttempt, syncRefund } from '../../src/writer/rails.ts';
import type { Execute } from '../../src/writer/writer.ts';
import { attempt, checkout, NOW } from '../checkout/build.ts';
import { refund } from '../checkout/build-refunds.ts';

const AGAIN = NOW + 30_000;
const waiting: RailAnswer = { status: 'requires_action', reason: '', syncAt: null, payment: null };
const rejects = () => Promise.reject(new Error('no answer'));
const pending: RefundAnswer = { status: 'pending', reference: 're_1', failure: '', syncAt: 7 };

/** A rail of which the tests say how it answers, and what came of it. */
function setUp(given: Partial<Rail>) {
  const commands: unknown[] = [];
  const alerts: unknown[] = [];
  const silences: unknown[] = [];
  const execute = (async (command: unknown) => void commands.push(command)) as unknown as Execute;
  const dependencies = {
    store: { checkouts: {} } as never,
    execute,
    rails: [{ ...sandbox, ...given }],
    onAlert: (...alert: unknown[]) => alerts.push(alert),
    onSilence: (...silence: unknown[]) => silences.push(silence),
  };
  /** The commands, with only these fields. */
  const told = (...fields: string[]) =>
    commands.map((each) => {
      const { command } = each as { command: Record<string, unknown> };
      return Object.fromEntries(fields.map((field) => [field, command[field]]));
    });
  return { dependencies, commands, told, alerts, silences };
}

suite('a rail that starts an attempt', () => {
  const started = attempt('requires_action');
  const session = checkout({ attempts: [started] });
  const payerUrl = ({ details }: Attempt) => (typeof details.url === 'string' ? details.url : null);
  const start = async (given: Partial<Rail>) => {
    const harness = setUp(given);
    await startAtRail(harness.dependencies, session, started, 'https://back.example', NOW);
    return harness;
  };

  test('has nothing to say where there is nothing to prepare', async () => {
    const { start: _, ...nothing } = sandbox;
    const { commands } = await start(nothing);
    assert.deepEqual(commands, []);
  });

  test('is asked again soon if it does not answer, and the operator hears that there is no page', async () => {
    const { told, silences } = await start({ payerUrl, start: rejects });
    assert.deepEqual(told('type', 'reference', 'status', 'syncAt'), [
      { type: 'report', reference: 'ref_a', status: 'requires_action', syncAt: AGAIN },
    ]);
    const about = { checkout: session.id, attempt: started.id };
    assert.deepEqual(silences, [['sandbox', 'the rail has made no page for the payer', about]]);
  });

  const quiet: readonly [name: string, given: Partial<Rail>][] = [
    [
      'has made the page',
      { payerUrl, start: async () => ({ ...waiting, details: { url: 'https://a.example' } }) },
    ],
    ['lets pay on our page', { start: async () => waiting }],
    ['has an answer already', { payerUrl, start: async () => ({ ...waiting, status: 'processing' }) }],
  ];
  for (const [name, given] of quiet) {
    test(`is not silent where it ${name}`, async () => {
      const { silences, commands } = await start(given);
      assert.deepEqual([silences, commands.length], [[], 1]);
    });
  }
});

suite('a rail that is asked how an attempt stands', () => {
  async function ask(given: Partial<Rail>, asked = attempt('processing')) {
    const harness = setUp(given);
    const session = checkout({ attempts: [asked] });
    const untold = await syncAttempt(harness.dependencies, session, asked, NOW);
    return { ...harness, untold };
  }

  test('is asked again where it does not answer, and what was known stays', async () => {
    const { untold, told, silences } = await ask({ sync: rejects });
    assert.equal(untold, 'no_answer');
    assert.deepEqual(told('type', 'status', 'syncAt', 'payment', 'details'), [
      { type: 'report', status: 'processing', syncAt: AGAIN, payment: null, details: null },
    ]);
    const about = { checkout: 'chk_1', attempt: 'pat_a' };
    assert.deepEqual(silences, [['sandbox', 'the rail does not say how a payment stands', about]]);
  });

  const rows: readonly [name: string, asked: Attempt, given: Partial<Rail>, status: string, at: unknown][] = [
    [
      'at the time that it names',
      attempt('processing'),
      { sync: async () => ({ ...waiting, status: 'processing', syncAt: 7 }) },
      'processing',
      7,
    ],
    [
      'soon where it names none and the attempt is open',
      attempt('processing'),
      { sync: async () => ({ ...waiting, status: 'processing' }) },
      'processing',
      AGAIN,
    ],
    [
      'soon where it tells less than is known, which stays',
      attempt('processing'),
      { sync: async () => waiting },
      'processing',
      AGAIN,
    ],
    [
      'no more where the attempt has failed',
      attempt('processing'),
      { sync: async () => ({ ...waiting, status: 'failed' }) },
      'failed',
      null,
    ],
    [
      'no more where it knows that the attempt was given up',
      attempt('cancelled'),
      { cancel: async () => ({ ...waiting, status: 'cancelled' }), sync: rejects },
      'cancelled',
      null,
    ],
    [
      'soon where it has not been told that the attempt was given up',
      attempt('cancelled'),
      { cancel: async () => waiting, sync: rejects },
      'cancelled',
      AGAIN,
    ],
  ];
  for (const [name, asked, given, status, syncAt] of rows) {
    test(`is asked again ${name}`, async () => {
      const { untold, told, silences } = await ask(given, asked);
      assert.deepEqual(told('status', 'syncAt'), [{ status, syncAt }]);
      assert.deepEqual([untold, silences], [null, []]);
    });
  }

  test('may tell of refunds and of money that it takes back, and alert the operator', async () => {
    const reversal = { kind: 'dispute', reference: 'dp_1', amount: 5, reason: '', status: 'open' } as const;
    const { told, alerts } = await ask({
      sync: async () => ({
        ...waiting,
        status: 'succeeded',
        payment: { reference: 'py_1', amount: 1000 },
        reversals: [reversal],
        refunds: [{ ...pending, refund: 'rfd_a', alert: 'told elsewhere' }],
        alert: 'unknown state',
      }),
    });
    assert.deepEqual(told('type', 'reference', 'attempt', 'refund', 'alert'), [
      { type: 'report', reference: 'ref_a', attempt: undefined, refund: undefined, alert: undefined },
      { type: 'report_reversal', reference: 'dp_1', attempt: 'pat_a', refund: undefined, alert: undefined },
      { type: 'report_refund', reference: 're_1', attempt: undefined, refund: 'rfd_a', alert: undefined },
    ]);
    assert.deepEqual(alerts, [['sandbox', 'unknown state', { checkout: 'chk_1', attempt: 'pat_a' }]]);
  });

  test('that is not there any more gives no answer', async () => {
    const { untold, told } = await ask({ name: 'another' });
    assert.equal(untold, 'no_answer');
    assert.deepEqual(told('status', 'syncAt'), [{ status: 'processing', syncAt: AGAIN }]);
  });

  test('may say why it tells nothing, which the session does not hear of', async () => {
    const { untold, told } = await ask({
      sync: async () => ({ ...waiting, status: 'unknown', untold: 'key_refused' }),
    });
    assert.equal(untold, 'key_refused');
    assert.deepEqual(told('status', 'untold'), [{ status: 'processing', untold: undefined }]);
  });
});

suite('a rail that repeats what is known, and tells nothing', () => {
  for (const status of ['requires_action', 'processing', 'succeeded', 'cancelled'] as const)
    for (const untold of ['answer_unclear', 'key_refused', 'no_answer'] as const)
      test(`of an attempt that is ${status}: ${untold}`, async () => {
        const { dependencies, told, silences } = setUp({
          sync: async () => ({ ...waiting, status, untold }),
          cancel: async () => ({ ...waiting, status, untold }),
        });
        const asked = attempt(status);
        const session = checkout({ attempts: [asked] });
        assert.equal(await syncAttempt(dependencies, session, asked, NOW), untold);
        assert.deepEqual(told('status', 'untold'), [{ status, untold: undefined }]);
        assert.equal(silences.length, 1);
      });
});

suite('a rail that is to make a refund', () => {
  const wanted = refund(500);
  const session = checkout({ refunds: [wanted] });

  test('is asked again where it does not answer', async () => {
    for (const given of [{ refund: rejects }, { name: 'another' }]) {
      const { dependencies, told, alerts } = setUp(given);
      await syncRefund(dependencies, session, wanted, NOW);
      assert.deepEqual(told('type', 'refund', 'status', 'reference', 'syncAt'), [
        { type: 'report_refund', refund: 'rfd_a', status: 'pending', reference: '', syncAt: AGAIN },
      ]);
      assert.deepEqual(alerts, []);
    }
  });

  test('says how it stands, and alerts the operator', async () => {
    const { dependencies, told, alerts } = setUp({ refund: async () => ({ ...pending, alert: 'odd' }) });
    await syncRefund(dependencies, session, wanted, NOW);
    assert.deepEqual(told('refund', 'status', 'reference', 'syncAt', 'alert'), [
      { refund: 'rfd_a', status: 'pending', reference: 're_1', syncAt: 7, alert: undefined },
    ]);
    assert.deepEqual(alerts, [['sandbox', 'odd', { checkout: session.id, refund: 'rfd_a' }]]);
  });
});
