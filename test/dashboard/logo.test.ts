/** The logo of an account in the dashboard. */
import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { MAX_LOGO_BYTES } from '../../src/accounts/logo.ts';
import { looks, violationsOf } from '../support/axe.ts';
import { launchBrowser } from '../support/browser.ts';
import { formIn, PASSWORD, type Page, signedInVisitor, textOf } from '../support/dashboard.ts';
import { jpeg, png } from '../support/image.ts';
import { startService } from '../support/service.ts';

let realNow = Date.now;
const service = await startService({ after }, { realNow: () => realNow() });
const { url } = service;
const { visitor: owner } = await signedInVisitor(service);
const PATH = '/dashboard/1/test/settings/logo';

const clear = () => service.call('DELETE', '/v3/logo');
const stored = async () =>
  (await service.service.store.accounts.fetch(service.account.number))?.logos.test ?? null;
const upload = async (content: Uint8Array, from?: Page) =>
  owner.upload(from ?? (await owner.get(PATH)), '/settings/logo', {
    name: 'logo.png',
    content: Uint8Array.from(content),
  });

async function image(): Promise<{ status: number; type: string | null; bytes: Buffer }> {
  const answer = await fetch(`${url}${PATH}/image`, { headers: { cookie: owner.cookie() } });
  return {
    status: answer.status,
    type: answer.headers.get('content-type'),
    bytes: Buffer.from(await answer.arrayBuffer()),
  };
}

suite('a logo', () => {
  test('is uploaded, shown, replaced and removed', async () => {
    await clear();
    const empty = await owner.get(PATH);
    assert.match(textOf(empty), /There is none: payers see the first letter/);
    assert.doesNotMatch(empty.html, /<img/);
    assert.equal((await image()).status, 404);
    const first = png({ width: 320, height: 96 });
    const shown = await owner.follow(upload(first, empty));
    assert.match(textOf(shown), /The logo is saved\. .*Replace the logo .*Remove the logo/);
    assert.match(shown.html, new RegExp(`<img src="${PATH}/image" alt="The logo of Test Shop">`));
    assert.deepEqual(await image(), { status: 200, type: 'image/png', bytes: first });
    assert.match(textOf(await owner.follow(upload(first))), /There was nothing left to change\./);
    const second = jpeg({ width: 8, height: 8 });
    assert.equal((await upload(second)).status, 303);
    assert.deepEqual(await image(), { status: 200, type: 'image/jpeg', bytes: second });
    const removed = await owner.follow(owner.submit(await owner.get(PATH), '/logo/remove'));
    assert.match(textOf(removed), /The logo is removed\./);
    assert.equal(await stored(), null);
    const again = await owner.submit(await owner.follow(upload(first)), '/logo/remove');
    assert.equal(again.status, 303);
    const late = await owner.follow(owner.submit(shown, '/logo/remove'));
    assert.match(textOf(late), /There was nothing left to change\..*There is none: /);
  });

  test('of two who set it from the same form is that of the first, which the second is shown', async () => {
    for (const before of [null, png({ width: 12, height: 12 })]) {
      await clear();
      if (before !== null) await upload(before);
      const form = await owner.get(PATH);
      const first = png({ width: 40, height: 10 });
      const second = png({ width: 50, height: 10 });
      assert.equal((await upload(first, form)).status, 303);
      const late = await upload(second, form);
      assert.equal(late.status, 422);
      const what = before === null ? 'a' : 'another';
      assert.ok(
        textOf(late).includes(
          `Somebody has set ${what} logo meanwhile, which is shown above. Choose the file once more`,
        ),
        textOf(late),
      );
      assert.match(late.html, /<img src=/);
      assert.deepEqual((await image()).bytes, first);
      assert.equal((await upload(second, late)).status, 303);
      assert.deepEqual((await image()).bytes, second);
    }
  });

  test('is not that of a form that was mended, where somebody else has set another before', async () => {
    await clear();
    const form = await owner.get(PATH);
    const theirs = png({ width: 40, height: 10 });
    await upload(theirs);
    const mine = png({ width: 50, height: 10 });
    for (const content of [Buffer.from('no image'), Buffer.alloc(MAX_LOGO_BYTES + 1)]) {
      const late = await upload(mine, await upload(content, form));
      assert.equal(late.status, 422);
      assert.match(textOf(late), /Somebody has set a logo meanwhile, which is shown above\./);
      assert.deepEqual((await image()).bytes, theirs);
    }
  });

  test('that was removed meanwhile is set by whoever is told so', async () => {
    await upload(png({ width: 12, height: 12 }));
    const form = await owner.get(PATH);
    await clear();
    const second = png({ width: 50, height: 10 });
    const late = await upload(second, form);
    assert.equal(late.status, 422);
    assert.match(
      textOf(late),
      /There is none.*Somebody has removed the logo meanwhile\. Choose the file once more/,
    );
    assert.equal((await upload(second, late)).status, 303);
    assert.deepEqual((await image()).bytes, second);
  });

  test('that somebody else has set meanwhile is not removed by who has not seen it', async () => {
    await upload(png({ width: 12, height: 12 }));
    const form = await owner.get(PATH);
    const other = png({ width: 40, height: 10 });
    await upload(other);
    const late = await owner.submit(form, '/logo/remove');
    assert.equal(late.status, 422);
    assert.match(
      textOf(late),
      /Somebody has set another logo meanwhile, which is shown above\. It was not removed\. /,
    );
    assert.deepEqual((await image()).bytes, other);
    assert.equal((await owner.submit(late, '/logo/remove')).status, 303);
    assert.equal(await stored(), null);
  });

  test('is set and removed by a form that says no version', async () => {
    await upload(png({ width: 12, height: 12 }));
    const { html, ...page } = await owner.get(PATH);
    const form = { ...page, html: html.replaceAll(/<input type="hidden" name="version"[^>]*>/g, '') };
    assert.notEqual(form.html, html);
    const other = png({ width: 40, height: 10 });
    assert.equal((await upload(other, form)).status, 303);
    assert.deepEqual((await image()).bytes, other);
    assert.equal((await owner.submit(form, '/logo/remove')).status, 303);
    assert.equal(await stored(), null);
  });

  test('is of its mode', async () => {
    await clear();
    await upload(png({ width: 10, height: 10 }));
    assert.match(textOf(await owner.get(PATH.replace('/test/', '/live/'))), /There is none/);
  });

  test('that cannot be taken is told of beside the field, and the one that there is stays', async () => {
    await clear();
    await upload(png({ width: 10, height: 10 }));
    const before = await stored();
    for (const [content, said] of [
      [Buffer.from('no image'), /PNG|JPEG/],
      [Buffer.alloc(0), /image|PNG|empty/],
      [png({ width: 1001, height: 4 }), /1001 × 4 pixels/],
      [Buffer.alloc(MAX_LOGO_BYTES + 1), /The file has more than 64 KiB\./],
      [Buffer.concat([png({ width: 4, height: 4 }), Buffer.alloc(4 * MAX_LOGO_BYTES)]), /more than 64 KiB/],
    ] as const) {
      const page = await upload(content);
      assert.equal(page.status, 422, textOf(page));
      const [, wrong = ''] = /id="field-file-wrong">([^<]*)</.exec(page.html) ?? [];
      assert.match(wrong, said);
      assert.match(page.html, /aria-describedby="field-file-hint field-file-wrong" aria-invalid="true"/);
      assert.equal(await stored(), before);
    }
    const none = await owner.upload(await owner.get(PATH), '/settings/logo', null);
    assert.match(none.html, /id="field-file-wrong">Choose a file/);
  });

  test('asks who somebody is before the file is chosen, and says so where it is asked behind it', async (t) => {
    await clear();
    t.after(() => {
      realNow = Date.now;
    });
    const form = await owner.get(PATH);
    realNow = () => Date.now() + 11 * 60_000;
    const asked = await upload(png({ width: 10, height: 10 }), form);
    assert.match(textOf(asked), /Is it you\?/);
    assert.equal(await stored(), null);
    const again = await owner.submit(asked, '/settings/logo', { confirm_password: PASSWORD });
    assert.match(again.html, /id="field-file-wrong">Choose a file, also if you did before/);
    assert.equal((await upload(png({ width: 10, height: 10 }), again)).status, 303);
    realNow = () => Date.now() + 22 * 60_000;
    const first = await owner.get(PATH);
    assert.match(textOf(first), /Is it you\?/);
    const proved = await owner.submit(first, '/settings/logo', { confirm_password: PASSWORD });
    assert.equal(proved.status, 200);
    assert.ok(formIn(proved, '/settings/logo'));
  });

  test('that was removed while somebody proved who they are is told to be', async (t) => {
    await clear();
    t.after(() => {
      realNow = Date.now;
    });
    realNow = () => Date.now() + 22 * 60_000;
    const { visitor } = await signedInVisitor({ ...service, realNow }, { email: 'later@example.com' });
    const mine = { name: 'logo.png', content: Uint8Array.from(png({ width: 10, height: 10 })) };
    assert.equal((await visitor.upload(await visitor.get(PATH), '/logo', mine)).status, 303);
    const form = await visitor.get(PATH);
    realNow = () => Date.now() + 44 * 60_000;
    const asked = await visitor.upload(form, '/logo', mine);
    assert.match(textOf(asked), /Is it you\?/);
    await clear();
    const again = await visitor.submit(asked, '/logo', { confirm_password: PASSWORD });
    assert.equal(again.status, 422);
    assert.match(
      textOf(again),
      /There is none.*Somebody has removed the logo meanwhile\. Choose the file once more to set yours\./,
    );
    assert.equal((await visitor.upload(again, '/logo', mine)).status, 303, 'once it is seen, it counts');
  });

  test('has its place among the settings', async () => {
    assert.match(
      (await owner.get('/dashboard/1/test/settings')).html,
      new RegExp(`<a href="${PATH}">Logo</a>`),
    );
  });
});

test('a browser shows it, and axe finds nothing', async () => {
  await clear();
  await upload(png({ width: 320, height: 96 }));
  const chromium = await launchBrowser();
  try {
    for (const { colorScheme, width } of looks(process.env.OPENTILL_TEST_DATABASE)) {
      const context = await chromium.newContext({ colorScheme, viewport: { width, height: 900 } });
      const [name = '', value = ''] = owner.cookie().split('=', 2);
      const secure = { url: url.replace('http:', 'https:'), secure: true, httpOnly: true };
      await context.addCookies([{ name, value, ...secure, sameSite: 'Lax' }]);
      const page = await context.newPage();
      await page.goto(url + PATH);
      const shown = await page.evaluate<number>('document.querySelector(".logo img").naturalWidth');
      assert.equal(shown, 320);
      assert.deepEqual(await violationsOf(page), []);
      const isWide = await page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth');
      assert.equal(isWide, false);
      await context.close();
    }
  } finally {
    await chromium.close();
  }
});
