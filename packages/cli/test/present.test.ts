import type { ContentBlock, Resource, ResourceTemplate, Tool } from '@switchyard/protocol';
import { describe, expect, it } from 'vitest';
import type { AuditRecord } from '@switchyard/host';
import { showRecords } from '../src/present/show-audit.ts';
import { showContent } from '../src/present/show-content.ts';
import { showProgress } from '../src/present/show-progress.ts';
import { showPrompt, showToolResult } from '../src/present/show-result.ts';
import { promptShowing, resourceShowing, toolShowing } from '../src/present/show-definitions.ts';
import { type Listed, showList } from '../src/present/show-list.ts';
import { suggestCall } from '../src/present/suggest-call.ts';

const hostile = '\u001b]0;owned\u0007\u001b[2Jhi\u001b[31m\u0007\u202e!';
const plain = { columns: 80, style: (_style: string, text: string) => text };

/** Whether text holds what a terminal would act on. */
function holdsControls(text: string): boolean {
  return /[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]/.test(text);
}

describe('showToolResult', () => {
  it('[results-07] names every block that is no text, unknown ones too', () => {
    const content = [
      { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' },
      { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' },
      { type: 'resource_link', uri: 'depot://m/7', name: 'm7' },
      { type: 'resource', resource: { uri: 'depot://t', text: 'inside' } },
      { type: 'resource', resource: { uri: 'depot://b', blob: 'AAA=' } },
      { type: 'hologram', data: 'x' },
    ] as readonly unknown[] as readonly ContentBlock[];
    const shown = showToolResult({ content });
    for (const part of [
      '1 image/png, 8 bytes',
      '1 audio/wav, 3 bytes',
      'm7: depot://m/7',
      'inside',
      '2 bytes: depot://b',
      'hologram',
    ]) {
      expect(shown).toContain(part);
    }
  });

  it.each<[unknown, string]>([
    [{ id: 9_007_199_254_740_993n }, '{"id":9007199254740993}'],
    [{ a: 1 }, '{\n  "a": 1\n}'],
    [0, '0'],
    [false, 'false'],
    [null, 'null'],
  ])('[results-02] [schema-11] shows the structured form %s where there is no text', (structuredContent, shown) => {
    expect(showToolResult({ content: [], structuredContent })).toBe(shown);
  });

  it('shows the text alone where there is one, and says so where there is nothing', () => {
    expect(showToolResult({ content: [{ type: 'text', text: 'one\n\ttwo' }], structuredContent: { a: 1 } })).toBe(
      'one\n\ttwo',
    );
    expect(showToolResult({ content: [] })).toMatch(/empty/);
  });

  it('lets no control sequence of a server through', () => {
    const blocks: readonly ContentBlock[] = [
      { type: 'text', text: hostile },
      { type: 'resource_link', uri: hostile, name: hostile },
      { type: 'image', data: '', mimeType: hostile },
      { type: 'resource', resource: { uri: hostile, text: hostile } },
    ];
    expect(holdsControls(showContent(blocks))).toBe(false);
    expect(holdsControls(showToolResult({ content: [], structuredContent: { [hostile]: hostile } }))).toBe(false);
    expect(
      holdsControls(
        showPrompt({ description: hostile, messages: [{ role: 'user', content: { type: 'text', text: hostile } }] }),
      ),
    ).toBe(false);
  });
});

describe('showList', () => {
  const definition: Tool = {
    name: 'orders__get',
    description: `First line ${hostile} ${'long '.repeat(40)}\nsecond line`,
    inputSchema: { type: 'object', properties: { limit: {}, id: {} }, required: ['id'] } as Tool['inputSchema'],
  };

  it('groups tools by server with arguments and one clean line of description', () => {
    const shown = showList([{ server: 'orders', definition }], toolShowing, plain);
    const lines = shown.split('\n');
    expect(lines.slice(0, 2)).toEqual(['orders (1 tool)', '  orders__get id=… [limit=…]']);
    expect(lines[2]).toMatch(/^ {6}First line hi! long .*…$/);
    expect(lines[2]?.length).toBeLessThanOrEqual(80);
    expect(holdsControls(shown)).toBe(false);
    expect(shown).not.toContain('second line');
  });

  it('shows a resource by its URI, a template by that of its resources, and a prompt by name and arguments', () => {
    const resources: readonly Listed<Resource | ResourceTemplate>[] = [
      { server: 'orders', definition: { uri: 'policy://refunds', name: 'refunds' } },
      { server: 'orders', definition: { uriTemplate: 'order://{id}', name: 'order', description: `One ${hostile}` } },
    ];
    expect(showList(resources, resourceShowing, plain)).toBe(
      'orders (2 resources)\n  policy://refunds\n      refunds\n  order://{id}\n      One hi!',
    );
    const args = [{ name: 'style' }, { name: 'file', required: true }];
    expect(
      showList([{ server: 'orders', definition: { name: 'review', arguments: args } }], promptShowing, plain),
    ).toBe('orders (1 prompt)\n  review file=… [style=…]');
  });

  it('says that there are none', () => {
    expect(showList([], toolShowing, plain)).toBe('No tools.');
    expect(showList([], promptShowing, plain)).toBe('No prompts.');
  });
});

describe('showProgress', () => {
  it.each([
    [{ progress: 1 }, 't: 1'],
    [{ progress: 1, total: 4, message: 'reading' }, 't: 25 % (1 of 4), reading'],
    [{ progress: 5, total: 0 }, 't: 5'],
  ])('says %j', (progress, shown) => {
    expect(showProgress('t', progress)).toBe(shown);
  });
});

describe('suggestCall', () => {
  const listed = (name: string, inputSchema: object, readOnlyHint?: boolean) => ({
    name,
    server: 's',
    originalName: name,
    inputSchema: inputSchema as Tool['inputSchema'],
    ...(readOnlyHint === undefined ? {} : { annotations: { readOnlyHint } }),
  });
  const message = { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] };

  it('makes up the arguments of a tool that only reads', () => {
    const level = {
      type: 'object',
      properties: { level: { enum: ['high'] }, n: { type: 'integer', minimum: 1 } },
      required: ['level', 'n'],
    };
    expect(
      suggestCall([listed('s__now', { type: 'object' }, true), listed('s__echo', message, true)], 'http://u'),
    ).toBe('call --url http://u s__echo message=hello');
    expect(suggestCall([listed('s__set', level, true)], 'http://u')).toBe('call --url http://u s__set level=high n=1');
  });

  it('never suggests a tool that may change something, nor a value that a shell would take apart', () => {
    const injected = { type: 'object', properties: { a: { type: 'string', default: '$(rm -rf ~)' } }, required: ['a'] };
    const tools = [
      listed('s__wipe', { type: 'object' }),
      listed('s__drop', message, false),
      listed('s__x', injected, true),
    ];
    expect(suggestCall(tools, 'http://u')).toBe('tools --url http://u');
  });
});

describe('records of the audit', () => {
  const record: AuditRecord = {
    v: 1,
    stream: 's',
    sequence: 1,
    time: '2026-07-28T00:00:00.000Z',
    kind: 'outcome',
    callId: 'c',
    agent: 'reader',
    method: 'tools/call',
    name: 'pay',
    reason: 'unavailable',
    durationMs: 7,
    previous: '',
  } as AuditRecord;

  it.each([
    ['unknown', 'unavailable, effect unknown, 7 ms'],
    ['none', 'unavailable, had no effect, 7 ms'],
    [undefined, 'unavailable, 7 ms'],
  ] as const)('say what a call that ended without an answer may have done: %s', (effect, end) => {
    const shown = showRecords([effect === undefined ? record : { ...record, effect }]);
    expect(shown.endsWith(`  ${end}`)).toBe(true);
  });
});
