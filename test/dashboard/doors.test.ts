/**
 * Who may come in: every screen and action of the dashboard, asked for by nobody, with half a sign-in, from other sites,
 * by every role, and by people of another account.
 */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import { FOLDER, fileOf, furtherOf, pictureOf } from '../../scripts/pictures/names.ts';
import { createAccount } from '../../src/accounts/account.ts';
import type { Declared } from '../../src/dashboard/screen.ts';
import { type Role, roleNames } from '../../src/users/roles.ts';
import { installation } from '../../src/users/user.ts';
import {
  createVisitor,
  formIn,
  type Page,
  signedInVisitor,
  textOf,
  type Visitor,
} from '../support/dashboard.ts';
import { startService } from '../support/service.ts';
import { type Door, doors, type Fields, type Things } from './doors.ts';
import { makeThings } from './things.ts';

const service = await startService({ after });
const { url, database } = service;
const { store, screens } = service.service;
const things: Things = await makeThings(service);
const neighbour = await createAccount(store, 'Neighbour', Date.now());

const nameOf = ({ method, path }: Declared): string => `${method} ${path}`;

function doorOf(screen: Declared): Door {
  const door = doors[nameOf(screen)];
  assert.ok(door, `test/dashboard/doors.ts has no row for ${nameOf(screen)}`);
  return door;
}

function addressOf({ path }: Declared, door: Door, place: Fields): string {
  const params = { ...place, ...door.params?.(things) };
  return `/dashboard${path}`.replaceAll(/:(\w+)|\*/g, (named, name: string) => params[name ?? named] ?? '');
}

const own: Fields = { account: String(service.account.number), mode: 'test' };

/** Tables that the worker fills by itself, whenever an attempt at a delivery is due. */
const FILLED_BY_WORKER = ['delivery_attempt', 'delivery_claim', 'webhook_receiver'];

/** Rows of all tables, in which nothing may have changed: those that people and their sign-ins do not fill by themselves. */
async function stateOf(): Promise<string> {
  const tables = (await database.tablesOfChanges()).filter((name) => !FILLED_BY_WORKER.includes(name));
  const counts = tables.map((name) => `(SELECT count(*) FROM "${name}") AS "${name}"`);
  const [row] = await database.query(`SELECT ${counts.join(', ')}`);
  const ofAccounts = [service.account.number, neighbour.number].map((account) =>
    store.dashboardUsers.list(installation, { account }, { limit: 100 }),
  );
  const users = (await Promise.all(ofAccounts)).flatMap(({ rows }) => rows);
  return JSON.stringify([row, users.map(({ signIns, ...user }) => [user, signIns.length])]);
}

/** Asks for the screen, and checks that nothing has changed. */
async function refused(ask: () => Promise<Page>, status: number, name: string): Promise<Page> {
  const before = await stateOf();
  const answer = await ask();
  assert.equal(answer.status, status, `${name}: ${textOf(answer)}`);
  assert.equal(await stateOf(), before, `${name} has changed something`);
  return answer;
}

function ask(visitor: Visitor, screen: Declared, fields: Fields = {}, headers: Fields = {}, place = own) {
  const door = doorOf(screen);
  const address = addressOf(screen, door, place);
  if (screen.method === 'GET') return visitor.get(address, headers);
  return visitor.post(address, { ...door.form?.(things), ...fields }, headers);
}

/** Fields of a form that the visitor was shown. */
async function tokenOf(visitor: Visitor): Promise<Fields> {
  const { fields } = formIn(await visitor.get('/dashboard/profile'), '/sign-out');
  assert.ok(fields.form_token);
  return { form_token: fields.form_token };
}

const visitors = new Map<Role, Visitor>();
for (const role of roleNames) {
  const { visitor } = await signedInVisitor(service, {
    role,
    account: service.account.number,
    email: `${role}@example.com`,
  });
  visitors.set(role, visitor);
}
const { visitor: stranger } = await signedInVisitor(service, {
  role: 'owner',
  account: neighbour.number,
  email: 'stranger@example.com',
});

/** An operator who works for the other account, as whoever may do least there. */
const { visitor: operator } = await signedInVisitor(service, {
  role: 'read_only',
  account: neighbour.number,
  email: 'operator@example.com',
  isOperator: true,
});

const needing = screens.filter(({ needs }) => needs !== 'nothing');
const onAccounts = screens.filter(({ needs }) => typeof needs === 'object' && 'operation' in needs);
const ofInstallation = screens.filter(({ needs }) => typeof needs === 'object' && 'installation' in needs);

test('every row is of a screen, and every screen has one', () => {
  assert.deepEqual(Object.keys(doors).sort(), screens.map(nameOf).sort());
  for (const screen of screens) {
    assert.equal(doorOf(screen).roles !== undefined, onAccounts.includes(screen), nameOf(screen));
    assert.equal(doorOf(screen).forOperators === true, ofInstallation.includes(screen), nameOf(screen));
  }
});

test('every screen has a picture in the reference, and every picture is of a screen', () => {
  const folder = join(import.meta.dirname, '../..', FOLDER);
  const named = screens.map(pictureOf).filter((name) => name !== null);
  const files = named.flatMap((name) => ['', ...furtherOf(name)].map((further) => fileOf(name, further)));
  assert.deepEqual(readdirSync(folder).sort(), files.sort(), 'npm run pictures');
});

suite('nobody', () => {
  for (const screen of needing) {
    test(`${nameOf(screen)} leads to the sign-in`, async () => {
      const answer = await refused(() => ask(createVisitor(url), screen), 401, nameOf(screen));
      assert.ok(formIn(answer, '/dashboard/sign-in'));
    });
  }
});

suite('a form from elsewhere', () => {
  for (const screen of screens.filter(({ method }) => method === 'POST')) {
    const name = nameOf(screen);
    test(`${name} is refused`, async () => {
      const visitor = visitors.get('owner');
      assert.ok(visitor);
      const token = await tokenOf(visitor);
      for (const site of ['cross-site', 'same-site'])
        await refused(() => ask(visitor, screen, token, { 'sec-fetch-site': site }), 403, name);
      const old = { 'sec-fetch-site': '', origin: 'https://evil.example' };
      await refused(() => ask(visitor, screen, token, old), 403, name);
      if (screen.needs === 'nothing') return;
      const forged = [{}, { form_token: '' }, { form_token: '0'.repeat(64) }, await tokenOf(stranger)];
      for (const fields of forged) await refused(() => ask(visitor, screen, fields), 403, name);
    });
  }
});

suite('people of another account', () => {
  for (const screen of onAccounts) {
    test(`${nameOf(screen)} is not there`, async () => {
      const token = await tokenOf(stranger);
      const there = await refused(() => ask(stranger, screen, token), 404, nameOf(screen));
      const nowhere = await ask(stranger, screen, token, {}, { ...own, account: '999' });
      assert.equal(textOf(there), textOf(nowhere));
    });
  }
});

suite('the installation', () => {
  for (const screen of ofInstallation) {
    const name = nameOf(screen);
    test(`${name} is for operators, whatever role they have`, async () => {
      for (const visitor of visitors.values()) {
        const token = await tokenOf(visitor);
        await refused(() => ask(visitor, screen, token), 403, name);
      }
      const answer = await ask(operator, screen, await tokenOf(operator));
      assert.ok([200, 303].includes(answer.status), `${name}: ${answer.status} ${textOf(answer)}`);
    });
  }

  test('gives its operators no role on an account', async () => {
    const token = await tokenOf(operator);
    for (const screen of onAccounts) await refused(() => ask(operator, screen, token), 404, nameOf(screen));
  });
});

suite('roles', () => {
  const inOrder = [...onAccounts].sort(
    (one, other) => Number(doorOf(one).isLast ?? 0) - Number(doorOf(other).isLast ?? 0),
  );
  for (const screen of inOrder) {
    const name = nameOf(screen);
    test(name, async () => {
      const { roles = [] } = doorOf(screen);
      for (const [role, visitor] of visitors) {
        if (roles.includes(role)) continue;
        const token = await tokenOf(visitor);
        await refused(() => ask(visitor, screen, token), 403, `${name} by ${role}`);
      }
      for (const role of roles) {
        const visitor = visitors.get(role);
        assert.ok(visitor);
        const answer = await ask(visitor, screen, await tokenOf(visitor));
        assert.ok(
          ![401, 403, 404, 500, 503].includes(answer.status),
          `${name} by ${role}: ${answer.status} ${textOf(answer)}`,
        );
      }
    });
  }
});
