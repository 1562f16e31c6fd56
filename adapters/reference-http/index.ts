import { createOpenAICompatible, type OpenAICompatibleProvider } from '@ai-sdk/openai-compatible';
import { http } from 'msw';
import { setupServer } from 'msw/node';
import type { Adapter, Instruments } from '../../spec/model/ports.ts';
import reference from '../reference/index.ts';
import { roughNetwork } from './rough-network.ts';

const HOST = 'http://model.test';

/** One address for each team, so that a request that comes late does not reach the next team's model. */
const endpoints = new Map<string, Instruments['endpoint']>();
let teams = 0;
/** The endpoints of so many teams are kept. */
const KEPT = 20;

const server = setupServer(http.post<{ team: string }>(`${HOST}/:team/chat/completions`, ({ request, params }) => endpoints.get(params.team)?.(request)));

server.listen();

/**
 * The reference on its second rail: its models are asked by a real provider, over HTTP, on a network that fails and cuts
 * what it carries where it hurts. The verdicts have to be those of the first rail.
 */
export default {
  ...reference,
  name: 'reference-http',
  idleTurns: 25,
  delegation: (team, kit) => {
    const name = `team-${teams++}`;
    endpoints.set(name, roughNetwork(kit.endpoint));
    endpoints.delete(`team-${teams - KEPT}`);
    const provider = providerAt(`${HOST}/${name}`);
    return reference.delegation(team, { ...kit, model: (agent) => provider(`scripted/${agent}`), overridingModel: (agent) => provider(`scripted/${agent}/override`) });
  },
} satisfies Adapter;

function providerAt(baseURL: string): OpenAICompatibleProvider {
  return createOpenAICompatible({ name: 'rail', baseURL, includeUsage: true, supportsStructuredOutputs: true });
}
