import { apiCommand } from '../../declare/access.ts';
import { listOf } from '../../declare/json.ts';
import { type Endpoint, endpointKeys, lineOf } from '../../webhooks/endpoint.ts';

export const command = apiCommand('webhooks')({
  purpose: 'List the webhook endpoints.',
  json: listOf(endpointKeys, 'webhook_endpoint'),
  examples: [['opentill webhooks list', 'Every endpoint with its status and events']],
  async run(_input, { client, output }) {
    let isEmpty = true;
    for await (const page of client.pages<Endpoint>('/webhook_endpoint')) {
      for (const each of page) output.record(each, lineOf(each));
      isEmpty &&= page.length === 0;
    }
    if (isEmpty) output.remark('there are no webhook endpoints; opentill webhooks add creates one');
  },
});
