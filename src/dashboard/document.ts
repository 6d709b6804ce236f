/** Frame of all screens: the document around the content, and the ways to other screens and accounts. */
import type { Mode } from '../checkout/tenant.ts';
import { type Content, type Html, html, textOf } from '../lib/html.ts';
import type { User } from '../users/user.ts';
import { script, stylesheet } from './assets.ts';
import { type Place, pathIn } from './place.ts';
import type { Visitor } from './visitor.ts';

export type Screen = {
  readonly title: string;
  readonly main: Content;
  /** Null where nobody is signed in. */
  readonly visitor: Visitor | null;
  /** Null outside of an account. */
  readonly place: Place | null;
  /** The last part of the path of the screen in the navigation that this one belongs to: `sessions`. */
  readonly current?: string;
  /** Sentence about what has just been done, if anything. */
  readonly notice?: string | null;
};

/** Screens of the navigation, in its order, each with the operation that it needs. */
export const navigation: ReadonlyArray<{
  readonly screen: string;
  readonly name: string;
  readonly operation: string;
}> = [
  { screen: 'overview', name: 'Overview', operation: 'OVERVIEW.FETCH' },
  { screen: 'sessions', name: 'Payments', operation: 'CHECKOUT.LIST' },
  { screen: 'movements', name: 'Money', operation: 'MOVEMENT.LIST' },
  { screen: 'bank', name: 'Bank', operation: 'BANK_ENTRY.LIST' },
  { screen: 'people', name: 'People', operation: 'CUSTOMER.LIST' },
  { screen: 'webhooks', name: 'Webhooks', operation: 'WEBHOOK_DELIVERY.LIST' },
  { screen: 'requests', name: 'Requests', operation: 'REQUEST.LIST' },
  { screen: 'log', name: 'Log', operation: 'AUDIT.LIST' },
  { screen: 'members', name: 'Members', operation: 'MEMBER.LIST' },
  { screen: 'keys', name: 'API keys', operation: 'API_KEY.LIST' },
  { screen: 'settings', name: 'Settings', operation: 'ACCOUNT_SETTINGS.FETCH' },
];

/** Screens of operators, about the whole installation. */
const ofInstallation: ReadonlyArray<Pick<(typeof navigation)[number], 'screen' | 'name'>> = [
  { screen: 'accounts', name: 'Accounts' },
  { screen: 'installation-log', name: 'Log of the installation' },
];

const modeNames: Readonly<Record<Mode, string>> = { live: 'Live', test: 'Test' };

const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='4' fill='%230b6b57'/%3E%3Cpath d='m4 8 3 3 5-6' fill='none' stroke='%23fff' stroke-width='2'/%3E%3C/svg%3E";

/** `basePath` is what a proxy puts in front of the paths of the service, without a slash at the end. */
export function documentOf(screen: Screen, basePath: string): string {
  const { title, main, visitor, place, notice } = screen;
  return textOf(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>${place === null ? title : `${title} – ${place.account.name}`} – opentill</title>
<link rel="icon" href="${ICON}">
<link rel="stylesheet" href="${basePath}${stylesheet.path}">
<script src="${basePath}${script.path}" defer></script>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
${visitor !== null && bar(screen, visitor, basePath)}
<main id="main" tabindex="-1"${place === null && screen.current === undefined && html` class="narrow"`}>
<h1>${title}</h1>
${notice && html`<p class="notice" role="status">${notice}</p>`}
${main}
</main>
</body>
</html>
`);
}

function bar({ place, current }: Screen, visitor: Visitor, basePath: string): Html {
  const { isOperator } = visitor.user;
  return html`<header class="bar">
${place === null ? html`<a class="home" href="${basePath}/dashboard">opentill</a>` : accountsIn(place, current, basePath)}
${place !== null && waysIn(place, current, basePath)}
${place === null && isOperator && waysOf(ofInstallation, current, (screen) => `${basePath}/dashboard/${screen}`)}
<nav class="own" aria-label="You">
${place !== null && isOperator && html`<a href="${basePath}/dashboard/accounts">Installation</a>`}
<a href="${basePath}/dashboard/profile">${visitor.user.name || visitor.user.email}</a>
<form method="post" action="${basePath}/dashboard/sign-out">${tokenField(visitor)}<button class="link">Sign out</button></form>
</nav>
</header>`;
}

function accountsIn(place: Place, current = '', basePath: string): Html {
  const other: Mode = place.mode === 'live' ? 'test' : 'live';
  const { account, accounts, hasMoreAccounts } = place;
  const to = (number: number, mode: Mode) => `${basePath}${pathIn({ account: number, mode }, current)}`;
  return html`<div class="place">
${
  accounts.length === 1
    ? html`<strong>${account.name}</strong>`
    : html`<details><summary>${account.name}</summary><ul>
${accounts.map(
  ({
    number,
    name,
  }) => html`<li><a href="${to(number, place.mode)}"${number === account.number && html` aria-current="true"`}>${name}</a></li>
`,
)}${hasMoreAccounts && html`<li><a href="${basePath}/dashboard/profile/accounts">All your accounts</a></li>`}</ul></details>`
}
<span class="mode ${place.mode}">${modeNames[place.mode]}</span>
<a href="${to(account.number, other)}">To ${modeNames[other].toLowerCase()} mode</a>
</div>`;
}

const waysIn = (place: Place, current: string | undefined, basePath: string): Html =>
  waysOf(
    navigation.filter(({ operation }) => place.may(operation)),
    current,
    (screen) => `${basePath}${pathIn(place.tenant, screen)}`,
  );

const waysOf = (
  ways: typeof ofInstallation,
  current: string | undefined,
  to: (screen: string) => string,
): Html => html`<nav class="ways" aria-label="Screens"><ul>
${ways.map(
  ({ screen, name }) =>
    html`<li><a href="${to(screen)}"${screen === current && html` aria-current="page"`}>${name}</a></li>
`,
)}</ul></nav>`;

/** The fields that every form has which changes something: its token, and for whom it was made. */
export const tokenField = ({
  formToken,
  user,
}: {
  readonly formToken: string;
  readonly user: Pick<User, 'id'>;
}): Html =>
  html`<input type="hidden" name="form_token" value="${formToken}"><input type="hidden" name="form_user" value="${user.id}">`;
