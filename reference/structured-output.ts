import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { asSchema, type FlexibleSchema } from '@ai-sdk/provider-utils';
import { InvalidOutputError } from './errors.ts';

/** An answer as a model is asked for it, and as it is read. */
export interface AnswerFormat<Out> {
  /** What the model is told of it in each turn. */
  readonly settings?: Pick<LanguageModelV4CallOptions, 'responseFormat'>;
  /** Reads the text that a model answered with. */
  read(text: string, agent: string): Out | Promise<Out>;
}

/** The text as it is. */
export const plainText: AnswerFormat<string> = { read: (text) => text };

/**
 * JSON that fits a schema, or else no answer.
 * @requirement failure.unfit-answer-is-a-failure
 */
export async function structuredBy<Out>(output: FlexibleSchema<Out>): Promise<AnswerFormat<Out>> {
  const schema = asSchema(output);
  return {
    settings: { responseFormat: { type: 'json', schema: await schema.jsonSchema } },
    async read(text, agent) {
      const value = parsed(text, agent);
      const checked = await (schema.validate?.(value) ?? { success: true, value: value as Out });
      if (checked.success) return checked.value;
      throw new InvalidOutputError(agent, 'does not fit its output schema', checked.error);
    },
  };
}

function parsed(text: string, agent: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new InvalidOutputError(agent, 'is not JSON', cause);
  }
}
