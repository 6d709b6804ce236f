/** Payment methods available for an amount, a currency and a country: asked before a session is created. */
import { Type } from '../../lib/json-schema.ts';
import { groupOf } from '../../methods/catalogue.ts';
import { offersFor } from '../../methods/method.ts';
import { accountOf, JSON_TYPE, principalOf } from '../answer.ts';
import type { Api } from '../api.ts';
import type { Dependencies } from '../dependencies.ts';
import { envelope } from '../envelope.ts';
import { schemaProblems } from '../input.ts';
import { currencyIn } from '../loose.ts';
import { operation } from '../operation.ts';
import { amount, country, currency } from '../schemas/fields.ts';

const query = Type.Object(
  {
    invoice_currency: currency,
    amount: Type.Optional(amount('Amount of the invoice, in minor units.')),
    customer_country: Type.Optional(country),
  },
  { description: 'Other parameters are ignored.' },
);

export function metadataRoutes(api: Api, { rails, store }: Dependencies): void {
  api.get(
    '/metadata/collect',
    operation(
      {
        operation: 'METADATA.COLLECT',
        tag: 'Payments',
        permission: 'read',
        currencyOf: currencyIn('query'),
        summary: 'List the available payment methods',
        description: 'Methods that a session with this currency, amount and country would offer.',
        answers: 'PaymentMethods',
      },
      { querystring: query },
    ),
    async (request, reply) => {
      schemaProblems(request);
      const { amount: asked = null, invoice_currency, customer_country = '' } = request.query;
      const { tenant } = principalOf(request);
      const occasion = {
        mode: tenant.mode,
        currency: invoice_currency.toUpperCase(),
        country: customer_country.toUpperCase(),
        amount: asked,
        account: await accountOf(store, tenant),
      };
      const data = {
        object: 'payment_methods',
        amount: asked,
        invoice_currency: occasion.currency,
        customer_country: occasion.country,
        country: occasion.country,
        payment_methods: offersFor(rails, occasion).map(({ method, rail }) => ({
          type: method.id,
          name: method.name,
          display_name: method.name,
          group: groupOf(method),
          family: method.family,
          currency: occasion.currency,
          amount: asked,
          logo: [],
          experience_type: rail.capabilities.leavesPage ? 'redirect' : 'inline',
        })),
      };
      return reply.type(JSON_TYPE).send(envelope('METADATA.COLLECT', JSON.stringify(data)));
    },
  );
}
