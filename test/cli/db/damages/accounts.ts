/** Damages of accounts, API keys, users, customers and logos. */
import { copied, type Damage, one } from './parts.ts';

const CONFIGURED = 'what every account has configured can be read';
const CUSTOMER = 'the customer of a session exists, or was erased and has left nothing in it';
const LOGO = 'every logo is the image that its name tells of';
const LOGO_NAMED = 'every logo is named by its account';
const LOGO_THERE = 'the logo that an account names is there';
const USER = 'the columns of a user say what the record says';
const USERS = 'users are of the installation';
const KEYS = 'every API key can be used';
const ERASED = 'no event tells of somebody who was erased';
const nobody = '"name":"","email":""';
const somebody = '"name":"Grace","email":""';

export const accountDamages: readonly Damage[] = [
  [
    'everything belongs to an account that exists',
    `UPDATE customer SET account = 99 WHERE ${one('customer')}`,
  ],
  ['the changes of accounts and keys are counted in one place', 'DELETE FROM directory'],
  [
    'the clock of test data is as far ahead as it was moved',
    `UPDATE account SET test_clock_offset_ms = 5 WHERE number = (SELECT max(number) FROM account)`,
  ],
  [LOGO_NAMED, `UPDATE account SET logo_test = NULL`],
  [LOGO_NAMED, `UPDATE logo SET name = 'other'`],
  [LOGO_THERE, `DELETE FROM logo`],
  [LOGO_THERE, `UPDATE account SET logo_live = logo_test`],
  [LOGO, `UPDATE logo SET content = 'AAAA'`],
  [LOGO, `UPDATE logo SET name = 'x' || name`],
  [USERS, 'UPDATE dashboard_user SET account = 1'],
  [USER, `UPDATE dashboard_user SET email = 'other@example.com' WHERE email IS NOT NULL`],
  [USER, `UPDATE dashboard_user SET accounts = ' 2:owner '`],
  [USER, `UPDATE dashboard_user SET data = replace(data, '"owner"', '"king"'), accounts = ' 1:king '`],
  [
    'no two users have the same address',
    `DROP INDEX dashboard_user_email;
     ${copied('dashboard_user', one('dashboard_user', 'email IS NOT NULL'))}`,
  ],
  [
    'no two customers have the same address',
    `DROP INDEX customer_email;
     ${copied('customer', one('customer'))}`,
  ],
  [
    'the columns of a customer say what the record says',
    `UPDATE customer SET email = 'other@example.com' WHERE ${one('customer')}`,
  ],
  [
    'the columns of a customer say what the record says',
    `UPDATE customer SET data = '{' WHERE ${one('customer')}`,
  ],
  [CONFIGURED, `UPDATE account SET settings_test = '{' WHERE settings_test IS NOT NULL`],
  [CONFIGURED, `UPDATE account SET settings_live = '{"receivingAccounts":[{"id":"main"},{"id":"main"}]}'`],
  [CONFIGURED, `UPDATE account SET settings_live = '{"policy":{}}'`],
  [CUSTOMER, `DELETE FROM customer WHERE ${one('customer')}`],
  [CUSTOMER, `UPDATE checkout SET data = replace(data, '${nobody}', '${somebody}')`],
  [ERASED, `UPDATE event SET body = replace(body, '${nobody}', '${somebody}')`],
  [KEYS, `UPDATE api_key SET permissions = 'everything'`],
  [KEYS, `UPDATE api_key SET secret_hash = id`],
];
