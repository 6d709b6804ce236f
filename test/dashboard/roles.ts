/** What each role may do on a screen: what it is refused without a form for it, and that nobody else's account is there. */
import assert from 'node:assert/strict';
import { roleNames } from '../../src/users/roles.ts';
import { type Page, signedInVisitor, textOf, type Visitor } from '../support/dashboard.ts';
import type { TestService } from '../support/service.ts';

export type Role = (typeof roleNames)[number];

/** Somebody in each role on the first account. */
export async function visitorsOf(service: TestService): Promise<Readonly<Record<Role, Visitor>>> {
  const visitors: Partial<Record<Role, Visitor>> = {};
  for (const role of roleNames) {
    const { visitor } = await signedInVisitor(service, { role, email: `${role}@example.com` });
    visitors[role] = visitor;
  }
  return visitors as Record<Role, Visitor>;
}

/** The token that forms of the visitor have, off a screen that everybody has. */
export async function formTokenOf(visitor: Visitor): Promise<string> {
  const page = await visitor.get('/dashboard/profile');
  return /name="form_token" value="([^"]*)"/.exec(page.html)?.[1] ?? assert.fail(textOf(page));
}

type Action = {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly fields?: Readonly<Record<string, string>>;
};

/** Asserts that an action is refused to a role, and that it says so. */
export async function assertForbidden(visitor: Visitor, { method, path, fields = {} }: Action) {
  const token = await formTokenOf(visitor);
  const page =
    method === 'GET' ? await visitor.get(path) : await visitor.post(path, { form_token: token, ...fields });
  assert.equal(page.status, 403, `${method} ${path}: ${textOf(page)}`);
  assert.match(textOf(page), /Your role does not allow this/);
}

/** Asserts that a path is there in its own account alone, and in no other mode than the two. */
export async function assertNotElsewhere(visitor: Visitor, actions: readonly Action[]) {
  const token = await formTokenOf(visitor);
  for (const { method, path, fields } of actions)
    for (const place of ['/99/test/', '/1/neither/', '/0/live/', '/01/test/']) {
      const elsewhere = path.replace('/1/test/', place);
      const page =
        method === 'GET'
          ? await visitor.get(elsewhere)
          : await visitor.post(elsewhere, { form_token: token, ...fields });
      assert.equal(page.status, 404, `${method} ${elsewhere}`);
    }
}

/** Asserts that a form without its token, or with that of another sign-in, does nothing. */
export async function assertTokenNeeded(visitor: Visitor, path: string, fields = {}) {
  for (const token of [{}, { form_token: 'x'.repeat(64) }]) {
    const page = await visitor.post(path, { ...fields, ...token });
    assert.equal(page.status, 403, path);
    assert.match(textOf(page), /out of date/);
  }
}

/** The tags of a page without the values of their attributes, and without what is new each time. */
const shapeOf = ({ html }: Pick<Page, 'html'>): string[] =>
  [...html.replaceAll(/="[^"]*"/g, '=""').matchAll(/<[^>]*>/g)].map(([tag]) => tag);

/** Asserts that a text on a page is nothing but a text: the page has the tags of one with a plain text. */
export function assertSameShape(page: Page, plain: Page, text: string): void {
  assert.equal(page.status, plain.status, text);
  assert.deepEqual(shapeOf(page), shapeOf(plain), text);
}
