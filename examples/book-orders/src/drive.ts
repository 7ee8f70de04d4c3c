import { readFile, mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { argv, exit } from 'node:process';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual, parseArgs } from 'node:util';

import { type Message, type OrderRun, runOrders } from './run.ts';

/*
 * Drives the book-orders server as a real child process and keeps the transcript.
 *
 *   npm run example:book-orders              writes outputs/book-orders-run.json
 *   npm run example:book-orders -- --check   compares with it instead
 */
const { check, file } = parseArgs({
  args: argv.slice(2),
  options: {
    check: { type: 'boolean', default: false },
    file: { type: 'string', default: fileURLToPath(new URL('../../../outputs/book-orders-run.json', import.meta.url)) },
  },
}).values;

const run = await runOrders();
const transcript = `${JSON.stringify(run, null, 2)}\n`;
const results = [...checkRun(run), ...(check ? [await checkTranscript(file, transcript)] : [])];
for (const [rule, ok] of results) console.log(`${ok ? 'ok    ' : 'FAILED'} ${rule}`);
const allOk = results.every(([, ok]) => ok);
if (!check && allOk) {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, transcript);
  console.log(`wrote ${file}`);
}
exit(allOk ? 0 : 1);

/** Answers each rule with whether the run keeps it. */
function checkRun({ messages, data, exit }: OrderRun): [rule: string, ok: boolean][] {
  const answers = messages.filter(({ from }) => from === 'server').map(({ message }) => message);
  const [discover, list, own, foreign, unknown] = answers;
  return [
    ['five requests, five responses', answers.length === 5 && answers.every(({ id }, index) => id === index + 1)],
    ['discovery shows 2026-07-28', discover?.result?.supportedVersions?.includes('2026-07-28') === true],
    ['discovery shows the name book-orders', serverName(discover) === 'book-orders'],
    ['there is one tool, get_order, and it is read-only', isReadOnlyTool(list?.result?.tools)],
    ['A-104 is a complete result whose text and structured form agree', agrees(own) && isOrder(own)],
    ['B-205 is a complete result with isError and the code forbidden', isForbidden(foreign)],
    ['the unknown tool is error -32602', unknown?.error?.code === -32602],
    ['the data is unchanged', data.before === data.after],
    ['the process is gone within five seconds after its input ended', exit.withinFiveSeconds && exit.code === 0],
  ];
}

function serverName(message: Message | undefined): unknown {
  const info = message?.result?._meta?.['io.modelcontextprotocol/serverInfo'] as
    { readonly name?: unknown } | undefined;
  return info?.name;
}

function isReadOnlyTool(tools: NonNullable<Message['result']>['tools']): boolean {
  return tools?.length === 1 && tools[0]?.name === 'get_order' && tools[0].annotations?.readOnlyHint === true;
}

function agrees(message: Message | undefined): boolean {
  const { resultType, content, structuredContent, isError = false } = message?.result ?? {};
  if (isError) return false;
  const text = content?.[0]?.text;
  return resultType === 'complete' && text !== undefined && isDeepStrictEqual(JSON.parse(text), structuredContent);
}

function isOrder(message: Message | undefined): boolean {
  return isDeepStrictEqual(message?.result?.structuredContent, {
    order_id: 'A-104',
    status: 'processing',
    as_of: '2026-09-14T00:00:00Z',
    source_version: 'ka3-orders-v1',
  });
}

function isForbidden(message: Message | undefined): boolean {
  const { resultType, isError, structuredContent } = message?.result ?? {};
  return resultType === 'complete' && isError === true && structuredContent?.['code'] === 'forbidden';
}

async function checkTranscript(path: string, expected: string): Promise<[rule: string, ok: boolean]> {
  const kept = await readFile(path, 'utf8');
  return [`the transcript is the one in ${path}`, kept === expected];
}
