import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { http } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, beforeAll, expect, test } from 'vitest';
import reference from '../../adapters/reference/index.ts';
import { certify } from '../../conformance/certify.ts';
import type { Adapter, Instruments } from '../../spec/model/ports.ts';

let endpoint: Instruments['endpoint'] | undefined;
const baseURL = 'https://model.test/v1';
const server = setupServer(http.post(`${baseURL}/chat/completions`, ({ request }) => endpoint?.(request)));
const provider = createOpenAICompatible({ name: 'rail', baseURL });

beforeAll(() => server.listen());
afterAll(() => server.close());

/** Enough to reach every situation. */
const CASES = 200;

/** The reference, asking its models over HTTP through a real provider. */
const overHttp: Adapter = {
  ...reference,
  idleTurns: 25,
  delegation: (team, kit) => {
    endpoint = kit.endpoint;
    return reference.delegation(team, { ...kit, model: (agent) => provider(agent) });
  },
};

test('a real provider over HTTP gives the same verdicts as the model in the process', { timeout: 120_000 }, async () => {
  const [direct, rail] = [await certify(reference, { cases: CASES }), await certify(overHttp, { cases: CASES })];
  const inShort = ({ verdicts }: typeof direct) => verdicts.map(({ id, verdict, because }) => ({ id, verdict, because }));
  expect(inShort(rail)).toEqual(inShort(direct));
});
