import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import { createServer, type RequestContext } from '@switchyard/server';
import * as v from 'valibot';
import { expectTypeOf, it } from 'vitest';
import * as z from 'zod';

// The type checker is the judge of this file: `npm run check` fails where a type is inferred differently.
const server = createServer({ name: 'types', version: '1.0.0' });

it('infers the arguments of a tool after defaults and transformations, in every dialect', () => {
  const input = z.object({
    city: z.string(),
    limit: z.int().default(10),
    day: z.string().transform((day) => new Date(day)),
  });
  server.tool('zod', { input }, (args, context) => {
    expectTypeOf(args).toEqualTypeOf<{ city: string; limit: number; day: Date }>();
    expectTypeOf(context).toEqualTypeOf<RequestContext>();
    return args.city;
  });
  server.tool('arktype', { input: type({ city: 'string', 'limit?': 'number' }) }, (args) => {
    expectTypeOf(args).toEqualTypeOf<{ city: string; limit?: number }>();
    return 'x';
  });
  server.tool(
    'valibot',
    { input: toStandardJsonSchema(v.object({ city: v.string(), limit: v.optional(v.number(), 1) })) },
    (args) => {
      expectTypeOf(args).toEqualTypeOf<{ city: string; limit: number }>();
      return 'x';
    },
  );
  server.tool('plain', { input: { type: 'object' } }, (args) => {
    expectTypeOf(args).toEqualTypeOf<{ readonly [key: string]: unknown }>();
    return 'x';
  });
  server.tool('none', {}, (args) => {
    expectTypeOf(args).toEqualTypeOf<Record<never, never>>();
    return 'x';
  });
});

it('checks the result of a tool against its output', () => {
  const output = z.object({ berths: z.int(), note: z.string().default('') });
  server.tool('value', { output }, () => ({ berths: 3 }));
  server.tool('later', { output }, async () => ({ berths: 3, note: 'x' }));
  server.tool('full', { output }, () => ({ content: [], structuredContent: { berths: 3 } }));
  // @ts-expect-error a member of another type
  server.tool('type', { output }, () => ({ berths: 'three' }));
  // @ts-expect-error a missing member
  server.tool('missing', { output }, () => ({}));
  // @ts-expect-error text where an object is declared
  expectTypeOf(server.tool('text', { output }, () => 'three')).toEqualTypeOf(server);
});

it('infers which arguments of a prompt may be absent', () => {
  server.prompt(
    'greet',
    { args: { who: 'A name', from: { description: 'A name', required: false }, tone: {} } },
    (args) => {
      expectTypeOf(args).toEqualTypeOf<{ readonly who: string; readonly tone: string } & { readonly from?: string }>();
      return args.who;
    },
  );
  server.prompt('bare', {}, (args) => {
    expectTypeOf<keyof typeof args>().toEqualTypeOf<never>();
    return 'x';
  });
});

it('refuses what is no schema', () => {
  // @ts-expect-error a schema of valibot that is not wrapped cannot render itself
  expectTypeOf(() => server.tool('unwrapped', { input: v.object({ a: v.string() }) }, () => 'x')).toBeFunction();
});
