import { describeAnswer, objectsOf, resultOf, showValue } from './seen.ts';
import { type CheckSite, namedCall } from './site.ts';

/** Why there is no request for input to look at. */
export async function noAsking({ calls, called, lists }: CheckSite): Promise<string> {
  const { tool } = calls;
  if (tool === undefined) return 'nothing that may be called asks for input; name a tool that does';
  const name = showValue(tool.name);
  const tools = (await lists()).find(({ member }) => member === 'tools')?.entries ?? [];
  if (!tools.some((entry) => entry['name'] === tool.name)) return `the server lists no tool ${name}`;
  const exchange = namedCall(await called(), calls)?.exchange;
  if (exchange === undefined) return `the tool ${name} did not answer`;
  const [text] = objectsOf(resultOf(exchange)?.['content']).map((block) => block['text']);
  return `the tool ${name} did not ask for input: ${describeAnswer(exchange)}${typeof text === 'string' ? `, ${showValue(text)}` : ''}`;
}
